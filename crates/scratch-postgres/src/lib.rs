//! A private PostgreSQL server in a temporary folder, for tests and measurements.
//!
//! Owns finding the programs, starting, stopping, restarting and copying a server. Does not own a client: callers
//! connect with the library they use anyway, to [`ScratchPostgres::address`].

mod citus;
mod programs;
mod server;

pub use citus::{CITUS_NOT_INSTALLED, ScratchCitus};
pub use programs::{NOT_INSTALLED, PostgresPrograms};
pub use server::{ScratchPostgres, StopMode};
