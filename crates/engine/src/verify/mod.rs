//! Verifies that all stored data is consistent.
//!
//! Owns the checks and the report; tests and the `verify` command use it. Reads one snapshot per partition, changes
//! nothing, and keeps a bounded amount in memory. Does not repair: a finding names the entry and the contradiction.

mod forward;
mod partition;
mod report;
mod reverse;

pub use report::{Finding, PartitionReport, VerifyProgress, VerifyReport};
