//! Named periodic jobs, each run by one instance at a time.
//!
//! ```text
//! read item ─► due? ─► acquire lease (If-Match) ─► run ─► write status and next time (If-Match)
//! ```
//!
//! Owns the item of each job: lease, next time, last status. Does not own what a job does. There is no election
//! protocol: the instance whose conditional write of the item succeeds is the leader of that run. A leader that is lost
//! is replaced when its lease expires; a run that outlived its lease cannot write its status, because the etag has
//! changed.

mod job;
mod record;
mod run;
mod start;

pub use job::{JobFailure, JobsSettings, PeriodicJob};
pub use record::JobStatus;
pub use run::{JobRun, Jobs};
