//! The three processes, each with a network of its own to the database.

use std::path::PathBuf;

use scratch_postgres::ScratchPostgres;

use super::super::server::Server;
use super::network::Network;

pub(super) const PROCESSES: usize = 3;
/// Shorter than a pause and a cut, longer than the machine ever keeps a process from running.
pub(super) const LEASE_MS: u64 = 2_000;

pub(super) struct Processes {
    folder: tempfile::TempDir,
    pub(super) networks: Vec<Network>,
    servers: Vec<Option<Server>>,
}

impl Processes {
    /// Starts all of them; the first is the owner.
    pub(super) fn start(database: &ScratchPostgres) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let networks = (0..PROCESSES).map(|_| Network::start(database.port())).collect();
        let mut processes =
            Self { folder, networks, servers: (0..PROCESSES).map(|_| None).collect() };
        for number in 0..PROCESSES {
            processes.start_missing(number);
        }
        processes
    }

    /// Starts a process unless it runs. While nobody has the lease, it waits for it as any other.
    pub(super) fn start_missing(&mut self, number: usize) {
        if self.servers[number].is_none() {
            let messages = self.messages(number);
            let server = Server::start(&PathBuf::from(self.url(number)), &messages, false);
            self.servers[number] = Some(server.unwrap());
        }
    }

    pub(super) fn url(&self, number: usize) -> String {
        let port = self.networks[number].port;
        format!("postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable&lease_ms={LEASE_MS}")
    }

    fn messages(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!("messages{number}"))
    }

    pub(super) fn ports(&self) -> Vec<u16> {
        self.servers.iter().flatten().map(|server| server.port).collect()
    }

    /// The number of the process that listens at a port.
    pub(super) fn at_port(&self, port: u16) -> Option<usize> {
        self.servers
            .iter()
            .position(|server| server.as_ref().is_some_and(|server| server.port == port))
    }

    pub(super) fn server(&mut self, number: usize) -> &mut Server {
        self.servers[number].as_mut().expect("the process runs")
    }

    pub(super) fn kill(&mut self, number: usize) {
        self.servers[number].take().expect("the process runs").kill();
    }

    /// Asks all of them to end.
    pub(super) fn terminate(&mut self) -> Result<(), String> {
        self.servers.iter_mut().filter_map(Option::take).try_for_each(Server::terminate)
    }

    /// A process that ended by itself is an error.
    pub(super) fn check_alive(&mut self) -> Result<(), String> {
        for number in 0..PROCESSES {
            if let Some(status) = self.servers[number].as_mut().and_then(Server::ended) {
                let messages = std::fs::read_to_string(self.messages(number)).unwrap_or_default();
                return Err(format!("process {number} ended by itself: {status}: {messages}"));
            }
        }
        Ok(())
    }
}
