//! The stores of this crate: the contract, and the guarantees that only they give.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

extern crate planisphere_storage as storage;

mod contract;
mod crashes;
mod faults;
mod snapshots;
