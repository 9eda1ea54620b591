//! A PostgreSQL server in a scratch folder, with what it takes of the machine.
//!
//! Owns the connection and the counting. Starting and stopping belong to `scratch-postgres`, settings to a measurement.

use std::path::PathBuf;
use std::time::Duration;

use postgres::{Client, NoTls};
use scratch_postgres::ScratchPostgres;

use crate::meter::{cpu_of_family, proportional_bytes_of_family};
use crate::{Result, progress};

/// What the cell says without PostgreSQL.
pub(crate) const NOT_INSTALLED: &str = "not installed: apt-get install postgresql";

/// A running server.
pub(crate) struct ScratchServer(ScratchPostgres);

impl ScratchServer {
    /// Starts one with these settings (`name=value`); nothing when PostgreSQL is not installed.
    pub(crate) fn start(settings: &[&str]) -> Result<Option<Self>> {
        progress::step("PostgreSQL: starting a scratch server");
        Ok(ScratchPostgres::start(settings)?.map(Self))
    }

    pub(crate) fn connect(&self) -> Result<Client> {
        Ok(Client::connect(&self.address(), NoTls)?)
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> String {
        self.0.address("postgres", "postgres")
    }

    /// The process that started all others.
    pub(crate) fn process(&self) -> u32 {
        self.0.process_id()
    }

    /// Its files.
    pub(crate) fn data(&self) -> PathBuf {
        self.0.data()
    }

    /// Processor time of all its processes, those that have ended included.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        cpu_of_family(self.0.process_id())
    }

    /// Memory of all its processes; what they share is counted once.
    pub(crate) fn resident_bytes(&self) -> Result<u64> {
        proportional_bytes_of_family(self.0.process_id())
    }
}
