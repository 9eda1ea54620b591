//! What every system needs around its data.
//!
//! Owns settings, HTTP, identity, work (jobs, leases, queues), erasure and telemetry. Does not own any data model or
//! rule of a system, and names no storage: data is reached through `client`.

mod extract;
mod problem;

pub mod copy;
pub mod erasure;
pub mod http;
pub mod identity;
pub mod schema;
pub mod settings;
pub mod telemetry;
pub mod timestamp;
pub mod work;
