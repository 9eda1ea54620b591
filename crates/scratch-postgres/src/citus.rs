//! A coordinator and workers of Citus, each a server of its own on loopback.
//!
//! Owns starting them where the extension is installed beside PostgreSQL's programs. Does not own tables.

use std::io::{Error, Result};
use std::process::Stdio;

use crate::programs::PostgresPrograms;
use crate::server::ScratchPostgres;

/// What a skipped test says.
pub const CITUS_NOT_INSTALLED: &str = "the extension citus is not installed beside PostgreSQL; \
     build it, and name the folder of its PostgreSQL programs in SCRATCH_POSTGRES_BIN";

const SETTINGS: [&str; 7] = [
    "shared_preload_libraries=citus",
    "listen_addresses=127.0.0.1",
    "wal_level=logical",
    "max_prepared_transactions=200",
    "max_connections=300",
    "fsync=off",
    // The extension switches TLS on, which these servers do not have.
    "citus.node_conninfo=sslmode=disable",
];

/// A running cluster.
#[derive(Debug)]
pub struct ScratchCitus {
    /// Where clients connect.
    pub coordinator: ScratchPostgres,
    /// Where the rows are.
    pub workers: Vec<ScratchPostgres>,
}

impl ScratchCitus {
    /// Starts a coordinator and workers; `None` where the extension is not installed.
    ///
    /// # Errors
    /// If a server does not start or refuses the extension.
    pub fn start(workers: usize) -> Result<Option<Self>> {
        let Some(programs) = PostgresPrograms::find()? else { return Ok(None) };
        if !find_extension(&programs)? {
            return Ok(None);
        }
        let server = || {
            let server = ScratchPostgres::start(&SETTINGS)?;
            server.ok_or_else(|| Error::other(crate::programs::NOT_INSTALLED))
        };
        let coordinator = server()?;
        coordinator.psql("CREATE EXTENSION citus")?;
        let host =
            format!("SELECT citus_set_coordinator_host('127.0.0.1', {})", coordinator.port());
        coordinator.psql(&host)?;
        let mut cluster = Self { coordinator, workers: Vec::new() };
        for _ in 0..workers {
            cluster.add_worker()?;
        }
        Ok(Some(cluster))
    }

    /// Adds an empty worker.
    ///
    /// # Errors
    /// If it does not start or is refused.
    pub fn add_worker(&mut self) -> Result<()> {
        let worker = ScratchPostgres::start(&SETTINGS)?;
        let worker = worker.ok_or_else(|| Error::other(crate::programs::NOT_INSTALLED))?;
        worker.psql("CREATE EXTENSION citus")?;
        let add = format!("SELECT citus_add_node('127.0.0.1', {})", worker.port());
        self.coordinator.psql(&add)?;
        self.workers.push(worker);
        Ok(())
    }
}

fn find_extension(programs: &PostgresPrograms) -> Result<bool> {
    let mut command = programs.command("pg_config");
    let output = command.arg("--sharedir").stdout(Stdio::piped()).output()?;
    let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok(std::path::Path::new(&folder).join("extension/citus.control").is_file())
}
