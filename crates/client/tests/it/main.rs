//! The crate through its public API: the contract in every place, faults, traces.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

extern crate planisphere_client as client;

#[cfg(feature = "connect")]
mod connected;
mod embedded;
mod faults;
mod processing;
mod simulated;
mod traces;
