//! Routes to actions and questions.

mod certificate;
mod cluster;
mod event;
mod problem;
mod resolve;
mod router;
mod wave;
mod workload;

pub use certificate::{CertificateSettings, serve_certified};
pub use router::{OPERATOR_ROLE, TRACKER_ADMIN_ROLE, VIEWER_ROLE};
