//! The last few thousand requests, and what was used in each of the last seconds, for the explorer.
//!
//! Owns the ring of records, the sums by second and their JSON. Nothing is recorded until recording is started: a
//! request then costs one atomic load.

mod log;
mod record;
mod seconds;

pub(crate) use log::RequestLog;
pub(crate) use record::RequestRecord;
