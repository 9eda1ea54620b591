//! What an operator and the tools around a server see of it: health, metrics, the certificate, a page, usage.
//!
//! Owns the paths that need no signature and tell nothing about data, and those of usage, which need one.

mod explorer;
mod metrics;
mod paths;
mod report;
mod test_control;

pub(crate) use explorer::{is_page, page};
pub(crate) use metrics::Metrics;
pub(crate) use paths::answer;
pub(crate) use report::{report, usage};
pub use test_control::TestControl;
pub(crate) use test_control::{control, is_for_test};
