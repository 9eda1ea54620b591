//! Named periodic jobs: one instance of all runs each of them at a time.
//!
//! ```text
//! read item ─► due? ─► take the lease (If-Match) ─► run ─► status and next time (If-Match)
//! ```
//!
//! Owns the item of each job: lease, next time, last status. Does not own what a job does. A leader that is lost is
//! replaced after its lease; a job that outlived its lease cannot write its status.

mod job;
mod record;
mod run;
mod start;

pub use job::{Job, JobFailure, JobsSettings};
pub use record::JobStatus;
pub use run::{JobRun, Jobs};
