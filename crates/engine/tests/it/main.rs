//! The engine through its public operations: one binary, one module per subject.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod account;
mod batches;
mod containers;
mod databases;
mod fidelity;
mod items;
mod listing;
mod partition_keys;
mod sessions;
mod throughput;
mod time_travel;
mod unique_keys;
mod verbs;
mod verify;
