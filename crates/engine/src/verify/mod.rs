//! Verify: walks a store and checks that everything in it agrees.
//!
//! Owns the walk and the report; tests and the `verify` command use it. Looks at one snapshot, changes nothing, keeps
//! a bounded amount in memory. Does not repair: a finding names the place and the contradiction.

mod forward;
mod partition;
mod report;
mod reverse;

pub use report::{Finding, PartitionReport, VerifyProgress, VerifyReport};
