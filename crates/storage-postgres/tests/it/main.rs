//! The store on a real PostgreSQL: the contract, refusals, restarts, leases.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod cable;
mod citus;
mod contract;
mod database;
mod faults;
mod leases;
mod long_keys;
mod refusals;
