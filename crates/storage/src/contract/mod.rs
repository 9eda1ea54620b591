//! The guarantees of [`crate::Store`], as named cases that every backend must pass.
//!
//! Owns what the trait itself guarantees. Does not own durability: what survives a crash or a reopening depends on
//! a backend's files and is tested beside them.

mod check;
mod commits;
mod guards;
mod lifecycle;
mod points;
mod scans;
mod stamps;
mod suite;

pub use check::ContractViolation;
pub use suite::{CASES, ContractCase, SPACES, run};
use suite::{ITEMS, LOG, TERMS};
