//! The rounds: clients at all three processes, one fault each, one comparison after each.
//!
//! `SHARED_STORE_SEED` repeats the faults of a run, `SHARED_STORE_ROUNDS` makes it longer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use scratch_postgres::{NOT_INSTALLED, ScratchPostgres, StopMode};

use super::super::cell::{Cell, SLOTS};
use super::super::clients::{
    CLIENTS, Client, History, Shared, follow, observe, restructure, snapshot, spawn,
};
use super::super::feed::check_feed;
use super::super::follower::{Follower, Page, read_latest};
use super::super::http::Connection;
use super::super::operation::{CELLS, create_container};
use super::super::search::{Operation, linearize};
use super::processes::{LEASE_MS, PROCESSES, Processes};
use crate::planisphere::on;

const ROUNDS: u64 = 10;
const LOOK_EVERY: Duration = Duration::from_millis(2);
const LOOKS_MAX: u32 = 60_000;
const CONNECTIONS: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                           WHERE application_name = 'planisphere'";

/// What happens while the clients are at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SharedFault {
    /// `kill -9` of the owner: another process takes over.
    KillOwner,
    /// `kill -9` of a process that forwards.
    KillFollower,
    /// `pg_terminate_backend` of every connection, several times.
    TerminateConnections,
    /// The database crashes and starts again.
    RestartDatabase,
    /// The owner is stopped for longer than its lease, and wakes up late.
    PauseOwner,
    /// The network of the owner drops everything for longer than its lease.
    CutOwner,
}

const FAULTS: [SharedFault; 6] = [
    SharedFault::KillOwner,
    SharedFault::KillFollower,
    SharedFault::TerminateConnections,
    SharedFault::RestartDatabase,
    SharedFault::PauseOwner,
    SharedFault::CutOwner,
];

#[test]
fn three_processes_on_one_store_are_one_server_to_their_clients() {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("SHARED_STORE_SEED").unwrap_or_else(|| fastrand::u64(..1_000_000_000));
    let rounds = number("SHARED_STORE_ROUNDS").unwrap_or(ROUNDS);
    println!("SHARED_STORE_SEED={seed} SHARED_STORE_ROUNDS={rounds}");
    let settings = ["fsync=off", "listen_addresses=127.0.0.1", "max_connections=200"];
    let Some(database) = ScratchPostgres::start(&settings).unwrap() else {
        println!(
            "SKIPPED three_processes_on_one_store_are_one_server_to_their_clients: {NOT_INSTALLED}"
        );
        return;
    };
    let mut run = SharedRun::start(database, seed);
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut faults, mut counts, mut operations) = (Vec::new(), BTreeMap::new(), 0);
    for round in 1..=rounds {
        if faults.is_empty() {
            faults = FAULTS.to_vec();
            random.shuffle(&mut faults);
        }
        let fault = faults.pop().unwrap();
        println!("round {round}: {fault:?}");
        *counts.entry(fault).or_insert(0) += 1;
        match run.carry_out(fault, random.u64(..)) {
            Ok(count) => operations += count,
            Err(broken) => panic!("round {round}, {fault:?} of SHARED_STORE_SEED={seed}: {broken}"),
        }
    }
    println!("{operations} operations, {counts:?}");
    assert!(operations as u64 > rounds * 50, "too little was done to show anything");
    run.verify().unwrap();
}

struct SharedRun {
    database: ScratchPostgres,
    processes: Processes,
    shared: Arc<Shared>,
    follower: Option<Follower>,
    cells: Vec<Cell>,
}

impl SharedRun {
    fn start(database: ScratchPostgres, seed: u64) -> Self {
        let processes = Processes::start(&database);
        let mut connection = Connection::new(processes.ports()[0]);
        create_container(&mut connection).unwrap();
        // The feed begins at another process than the one that has made the container.
        let mut connection = Connection::new(processes.ports()[1]);
        let follower = Some(Follower::start(&mut connection, seed).unwrap());
        let cells = vec![[None; SLOTS]; CELLS];
        Self { database, processes, shared: Arc::default(), follower, cells }
    }

    fn carry_out(&mut self, fault: SharedFault, seed: u64) -> Result<usize, String> {
        for number in 0..PROCESSES {
            self.processes.start_missing(number);
        }
        let ports = self.processes.ports();
        self.shared.is_over.store(false, Ordering::SeqCst);
        // A process without the lease refuses, as one without a disk does.
        self.shared.had_full_disk.store(true, Ordering::SeqCst);
        let port_of = |number: u64| ports[number as usize % PROCESSES];
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let client = Client::new(port_of(number), &self.shared, seed ^ (number + 1));
                spawn(move || client.run())
            })
            .collect();
        let follower = self.follower.take().expect("a follower between two rounds");
        let (shared, port) = (Arc::clone(&self.shared), port_of(seed));
        let follower = spawn(move || follow(follower, port, &shared));
        let (shared, port) = (Arc::clone(&self.shared), port_of(seed >> 8));
        let restructuring =
            spawn(move || restructure(port, &shared, seed, Duration::from_millis(200)));
        let injected = self.wait_for(100).and_then(|()| self.inject(fault, seed));
        self.shared.is_over.store(true, Ordering::SeqCst);
        let mut history = Vec::new();
        for client in clients {
            history.extend(client.join().expect("a client does not panic")?);
        }
        restructuring.join().expect("it does not panic")?;
        self.follower = Some(follower.join().expect("the follower does not panic")?);
        injected?;
        let count = history.len();
        self.compare(history, seed)?;
        Ok(count)
    }

    fn inject(&mut self, fault: SharedFault, seed: u64) -> Result<(), String> {
        let owner = self.owner()?;
        let longer_than_the_lease = Duration::from_millis(LEASE_MS * 2);
        match fault {
            SharedFault::KillOwner => self.processes.kill(owner),
            SharedFault::KillFollower => {
                self.processes.kill((owner + 1 + seed as usize % (PROCESSES - 1)) % PROCESSES);
            }
            SharedFault::TerminateConnections => {
                for _ in 0..5 {
                    self.sql(CONNECTIONS)?;
                    std::thread::sleep(Duration::from_millis(30));
                }
            }
            SharedFault::RestartDatabase => {
                self.database.stop(StopMode::Immediate).map_err(|error| error.to_string())?;
                self.database.start_again().map_err(|error| error.to_string())?;
            }
            SharedFault::PauseOwner => {
                self.processes.server(owner).signal("STOP");
                std::thread::sleep(longer_than_the_lease);
                self.processes.server(owner).signal("CONT");
            }
            SharedFault::CutOwner => {
                self.processes.networks[owner].cut();
                std::thread::sleep(longer_than_the_lease);
                self.processes.networks[owner].mend();
            }
        }
        self.wait_for(100)?;
        self.processes.check_alive()
    }

    /// The process that has the lease.
    fn owner(&self) -> Result<usize, String> {
        let address = self.sql("SELECT address FROM planisphere.owner")?;
        let port = address.trim().rsplit(':').next().and_then(|port| port.parse().ok());
        port.and_then(|port| self.processes.at_port(port))
            .ok_or(format!("nobody is at {address:?}"))
    }

    fn sql(&self, text: &str) -> Result<String, String> {
        self.database.psql(text).map_err(|error| error.to_string())
    }

    /// Waits until so many more operations are answered.
    fn wait_for(&self, operations: u64) -> Result<(), String> {
        let target = self.shared.answered.load(Ordering::SeqCst) + operations;
        for _ in 0..LOOKS_MAX {
            if self.shared.answered.load(Ordering::SeqCst) >= target {
                return Ok(());
            }
            std::thread::sleep(LOOK_EVERY);
        }
        Err("never: enough operations were answered".to_owned())
    }

    /// Reads everything while nobody writes, through any process, and compares.
    fn compare(&mut self, history: History, seed: u64) -> Result<(), String> {
        let ports = self.processes.ports();
        let mut connection = Connection::new(ports[seed as usize % ports.len()]);
        let mut follower = self.follower.take().expect("a follower between two rounds");
        // A process that has lost its lease answers 503 until it has noticed that, and forwards then.
        for _ in 0..LOOKS_MAX {
            match follower.read_page(&mut connection)? {
                Page::Changes | Page::Empty => break,
                _ => std::thread::sleep(LOOK_EVERY),
            }
        }
        follower.catch_up(&mut connection)?;
        let mut operations: Vec<Vec<Operation>> = vec![Vec::new(); CELLS];
        for (cell, operation) in history {
            operations[cell].push(operation);
        }
        for (cell, operations) in operations.iter_mut().enumerate() {
            let observed = observe(&mut connection, &self.shared, cell)?;
            let after = snapshot(&observed);
            operations.extend(observed);
            let context = |broken: String| format!("logical partition c{cell}: {broken}");
            linearize(&self.cells[cell], operations).map_err(context)?;
            let changes = std::mem::take(&mut follower.changes[cell]);
            check_feed(&self.cells[cell], &changes, operations, &after).map_err(context)?;
            self.cells[cell] = after;
        }
        self.follower = Some(follower);
        match read_latest(&mut connection)? == self.cells {
            true => Ok(()),
            false => Err("the latest versions differ from the items".to_owned()),
        }
    }

    /// Ends all processes, and checks what they have left.
    fn verify(mut self) -> Result<(), String> {
        let url = self.processes.url(0);
        self.processes.terminate()?;
        let verified = on("verify", std::path::Path::new(&url));
        match verified.code {
            0 => Ok(()),
            _ => Err(format!("verify: {verified:?}")),
        }
    }
}
