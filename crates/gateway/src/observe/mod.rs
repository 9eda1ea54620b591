//! What an operator and the tools around a server see of it: health, metrics, the certificate, usage.
//!
//! Owns the paths that need no signature and tell nothing about data, and those of usage, which need one.

mod metrics;
mod paths;
mod report;
mod test_control;

pub(crate) use metrics::Metrics;
pub(crate) use paths::answer;
pub(crate) use report::{report, usage};
pub use test_control::TestControl;
pub(crate) use test_control::{control, is_for_test};
