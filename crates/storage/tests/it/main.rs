//! The stores of this crate against the contract, and the promises that only they make.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

extern crate planisphere_storage as storage;

mod contract;
mod crashes;
mod faults;
mod snapshots;
