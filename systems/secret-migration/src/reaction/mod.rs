//! The workers: claim, copy, switch, roll out; lost workers; drift; the loop.

mod copy;
mod drift;
mod history;
mod migrate;
mod run;
mod work;

pub use drift::DriftReport;
pub use migrate::MigrationResult;
pub use work::{RoundReport, RunScope};
