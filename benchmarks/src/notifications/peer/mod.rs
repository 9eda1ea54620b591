//! What a team would use instead: the same pipeline's storage work on PostgreSQL.
//!
//! ```text
//! events (FOR UPDATE SKIP LOCKED) ─► claim, commit ─► preferences, dedupe, devices, limits, list, end: commit
//! ```

mod run;
mod tables;
mod work;

pub(super) use run::PostgresPeer;
