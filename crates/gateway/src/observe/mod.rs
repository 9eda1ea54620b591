//! What an operator and the tools around a server see of it: health, metrics, the certificate.
//!
//! Owns the paths that need no signature and tell nothing about data.

mod metrics;
mod paths;
mod test_control;

pub(crate) use metrics::Metrics;
pub(crate) use paths::answer;
pub use test_control::TestControl;
pub(crate) use test_control::{control, is_for_test};
