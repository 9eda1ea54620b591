//! The promises of [`Store`], as named cases that every backend must pass.
//!
//! Owns what is promised by the trait itself. Does not own durability: what survives a crash or a reopening depends on
//! a backend's files and is tested beside them.

mod check;
mod commits;
mod guards;
mod lifecycle;
mod points;
mod scans;
mod stamps;
mod suite;

pub use check::Violation;
pub use suite::{CASES, Case, SPACES, run};
use suite::{ITEMS, LOG, TERMS};
