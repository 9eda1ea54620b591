//! A running server, its life and its copies.
//!
//! Owns the folder, the process and the addresses. Does not own databases: callers create them.

use std::fs::{self, File};
use std::io::{Error, Result};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::programs::PostgresPrograms;

const START_TRIES: u32 = 3_000;
const TRY_EVERY: Duration = Duration::from_millis(10);

/// A running server.
#[derive(Debug)]
pub struct ScratchPostgres {
    programs: PostgresPrograms,
    folder: TempDir,
    settings: Vec<String>,
    port: u16,
    process: Child,
}

/// How a server ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopMode {
    /// Ends its connections and writes everything to disk.
    Fast,
    /// Ends at once, as in a crash; the next start recovers.
    Immediate,
}

impl ScratchPostgres {
    /// Starts a server with settings (`name=value`); `None` when PostgreSQL is not installed.
    ///
    /// # Errors
    /// If the server does not start; the error contains its log.
    pub fn start(settings: &[&str]) -> Result<Option<Self>> {
        Self::start_with(settings, "trust")
    }

    /// The same, with a method of authentication for connections over the network.
    ///
    /// # Errors
    /// If the server does not start; the error contains its log.
    pub fn start_with(settings: &[&str], network_method: &str) -> Result<Option<Self>> {
        let Some(programs) = PostgresPrograms::find()? else { return Ok(None) };
        let folder = new_folder(&programs)?;
        let mut initdb = programs.command("initdb");
        initdb.arg("-D").arg(folder.path().join("data"));
        initdb.args([
            "-U",
            "postgres",
            "--auth-local=trust",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        ]);
        initdb.arg(format!("--auth-host={network_method}"));
        if !initdb.status()?.success() {
            return Err(Error::other("initdb failed"));
        }
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        Self::run(programs, folder, settings).map(Some)
    }

    /// A streaming replica of this server, by `pg_basebackup`, under this name.
    ///
    /// # Errors
    /// If the backup fails or the replica does not start.
    pub fn replica(&self, name: &str, settings: &[&str]) -> Result<Self> {
        let folder = new_folder(&self.programs)?;
        let mut backup = self.programs.command("pg_basebackup");
        backup.arg("-D").arg(folder.path().join("data"));
        backup.args(["-R", "-X", "stream", "--checkpoint=fast", "--no-sync", "-d"]);
        backup.arg(format!("{} application_name={name}", self.address("postgres", "postgres")));
        if !backup.status()?.success() {
            return Err(Error::other("pg_basebackup failed"));
        }
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        Self::run(self.programs.clone(), folder, settings)
    }

    /// A server on the content of a finished `pg_basebackup` of this one.
    ///
    /// # Errors
    /// If the backup fails or the copy does not start.
    pub fn backup(&self, settings: &[&str]) -> Result<Self> {
        let folder = new_folder(&self.programs)?;
        let mut backup = self.programs.command("pg_basebackup");
        backup.arg("-D").arg(folder.path().join("data"));
        backup.args(["-X", "stream", "--checkpoint=fast", "--no-sync", "-d"]);
        backup.arg(self.address("postgres", "postgres"));
        if !backup.status()?.success() {
            return Err(Error::other("pg_basebackup failed"));
        }
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        Self::run(self.programs.clone(), folder, settings)
    }

    fn run(programs: PostgresPrograms, folder: TempDir, settings: Vec<String>) -> Result<Self> {
        let port = free_port()?;
        let process = spawn(&programs, &folder, &settings, port)?;
        let mut server = Self { programs, folder, settings, port, process };
        server.wait_until_ready()?;
        Ok(server)
    }

    /// The address of a database for a role, through the socket.
    #[must_use]
    pub fn address(&self, role: &str, database: &str) -> String {
        let folder = self.folder.path().display();
        format!("host={folder} port={} user={role} dbname={database}", self.port)
    }

    /// The same as a URL.
    #[must_use]
    pub fn url(&self, role: &str, database: &str) -> String {
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://{role}@{folder}:{}/{database}", self.port)
    }

    /// The port on loopback, and the name of the socket. The server listens there with the setting
    /// `listen_addresses=127.0.0.1`.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The file of the socket.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join(format!(".s.PGSQL.{}", self.port))
    }

    /// Its programs.
    #[must_use]
    pub fn programs(&self) -> &PostgresPrograms {
        &self.programs
    }

    /// Its files.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// What the server has reported.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// The number of its first process.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Runs a statement with `psql` in the database `postgres` and returns what it prints.
    ///
    /// # Errors
    /// If the statement fails; the error contains the server's message.
    pub fn psql(&self, statement: &str) -> Result<String> {
        let mut psql = self.programs.command("psql");
        psql.args(["-At", "-v", "ON_ERROR_STOP=1", "-c", statement, "-d"]);
        psql.arg(self.address("postgres", "postgres"));
        let output = psql.stdout(Stdio::piped()).stderr(Stdio::piped()).output()?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(Error::other(String::from_utf8_lossy(&output.stderr).into_owned())),
        }
    }

    /// Stops the server; its folder stays.
    ///
    /// # Errors
    /// If it does not end.
    pub fn stop(&mut self, mode: StopMode) -> Result<()> {
        let mode = match mode {
            StopMode::Fast => "fast",
            StopMode::Immediate => "immediate",
        };
        let mut stop = self.programs.command("pg_ctl");
        stop.arg("-D").arg(self.data()).args(["-m", mode, "-w", "stop"]);
        if !stop.status()?.success() {
            return Err(Error::other("pg_ctl stop failed"));
        }
        self.process.wait().map(drop)
    }

    /// Starts it again on the same folder and port.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_again(&mut self) -> Result<()> {
        self.process = spawn(&self.programs, &self.folder, &self.settings, self.port)?;
        self.wait_until_ready()
    }

    /// Makes a replica the primary.
    ///
    /// # Errors
    /// If it is none.
    pub fn promote(&self) -> Result<()> {
        let mut promote = self.programs.command("pg_ctl");
        promote.arg("-D").arg(self.data()).args(["-w", "promote"]);
        match promote.status()?.success() {
            true => Ok(()),
            false => Err(Error::other("pg_ctl promote failed")),
        }
    }

    fn wait_until_ready(&mut self) -> Result<()> {
        for _ in 0..START_TRIES {
            let mut ready = self.programs.command("pg_isready");
            ready.arg("-h").arg(self.folder.path()).arg("-p").arg(self.port.to_string());
            if ready.status()?.success() {
                return Ok(());
            }
            if self.process.try_wait()?.is_some() {
                break;
            }
            std::thread::sleep(TRY_EVERY);
        }
        Err(Error::other(format!("PostgreSQL did not start: {}", self.log())))
    }
}

impl Drop for ScratchPostgres {
    fn drop(&mut self) {
        if !matches!(self.process.try_wait(), Ok(Some(_)))
            && self.stop(StopMode::Immediate).is_err()
        {
            // It may have ended by itself; killing what is gone does no harm.
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

fn new_folder(programs: &PostgresPrograms) -> Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("scratch-postgres").tempdir()?;
    programs.give(folder.path())?;
    Ok(folder)
}

/// A port that nobody listens at now. The server takes it a moment later, so that another program may be faster; its
/// start then fails.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

fn spawn(
    programs: &PostgresPrograms,
    folder: &TempDir,
    settings: &[String],
    port: u16,
) -> Result<Child> {
    let mut server = programs.command("postgres");
    server.arg("-D").arg(folder.path().join("data")).arg("-k").arg(folder.path());
    server.arg("-p").arg(port.to_string()).args(["-c", "listen_addresses="]);
    for setting in settings {
        server.arg("-c").arg(setting);
    }
    let log = File::options().create(true).append(true).open(folder.path().join("log"))?;
    server.stdout(log.try_clone()?).stderr(log).spawn()
}
