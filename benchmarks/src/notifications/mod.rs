//! The load benchmark of the notifications system, beside the same pipeline's storage work on PostgreSQL.
//!
//! Owns `benchmarks/NOTIFICATIONS.md`. Both sides get the same people and the same events, which follow from their
//! numbers, and must end with the same outcomes; a run in which they do not is an error, not a table.
//!
//! ```text
//! each side: people ─► all events enqueued ─► drained by two workers, in tenths
//! then each: events at half the rate of the slower drain ─► latency ─► outcomes, disk, memory ─► tables
//! ```

mod latency;
mod mix;
mod ours;
mod outcome;
mod peer;
mod report;
mod run;
mod side;
mod tenths;
mod units;

pub use report::NotificationsReport;
pub use run::{NotificationsOptions, run_notifications};
pub use side::{Latency, Outcomes, SidePace, SideResult};
pub use tenths::Tenth;
