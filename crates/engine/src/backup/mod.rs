//! Carrying a container over and looking at its past.
//!
//! Owns export and import as JSON lines and the walk over the items of an earlier second. Does not own the versions it
//! reads: every write keeps them.

mod time_travel;
mod transfer;

pub use time_travel::SnapshotAt;
