//! Benchmark of writes: durable creates and replaces, a bulk load and the disk, beside PostgreSQL with the same items.
//!
//! Owns `benchmarks/WRITES.md`. Both sides are called by as many callers as the options say, from one process on the
//! same cores, and take turns.
//!
//! ```text
//! both: empty ─► creates for a time ─► replaces for a time ─► bulk load to so many items ─► creates again ─► disk
//! ```

mod ours;
mod postgresql;
mod report;
mod run;

pub use report::WritesReport;
pub use run::{WritePace, WritesOptions, WritesSide, run_writes};
