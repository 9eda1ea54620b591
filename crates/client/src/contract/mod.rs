//! The promises of this crate, as named cases that every place must pass.
//!
//! Owns what a program may rely on wherever it runs. Does not own retries and faults, which are above every place, nor
//! what one place does beyond the promise.

mod batches;
mod check;
mod feeds;
mod fixture;
mod items;
mod processing;
mod queries;
mod resources;
mod suite;
mod writers;

pub use check::AccountViolation;
pub use fixture::ContractFixture;
pub use suite::{AccountCase, CASES, Requirement, run};
