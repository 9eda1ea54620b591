//! Routes to actions and questions.

mod cluster;
mod problem;
mod resolve;
mod router;
mod wave;
mod workload;

pub use router::{OPERATOR_ROLE, TRACKER_ADMIN_ROLE, VIEWER_ROLE};
