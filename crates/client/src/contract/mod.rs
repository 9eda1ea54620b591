//! The promises of this crate, as named cases that every place must pass.
//!
//! Owns what a program may rely on wherever it runs. Does not own retries and faults, which are above every place, nor
//! what one place does beyond the promise.

mod batches;
mod check;
mod feeds;
mod ground;
mod items;
mod processing;
mod queries;
mod resources;
mod suite;
mod writers;

pub use check::Violation;
pub use ground::Ground;
pub use suite::{CASES, Case, Needs, run};
