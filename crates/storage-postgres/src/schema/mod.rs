//! The tables and the function of a store, in versions.

mod distribute;
mod steps;

pub use steps::FORMAT_VERSION;
pub(crate) use steps::{check_server, prepare};
