//! The event store under load: on an embedded account and on PostgreSQL, beside UmaDB and a plain table.
//!
//! Owns the load, which is the same for every side, and its table. UmaDB runs as its own process and is driven by its
//! own client (`peers/umadb`), because both are outside of the workspace.

mod load;
mod ours;
mod plain;
mod report;
mod run;
mod store;
mod umadb;

pub use report::EventsReport;
pub use run::{EventsOptions, EventsSide, run_events};
