//! What every system needs around its data.
//!
//! Owns settings, the HTTP kit, identity, work (jobs, leases, queues, erasure) and telemetry. Does not own any data
//! model or rule of a system, and names no storage: data is reached through `client`.

pub mod copy;
pub mod erasure;
pub mod http;
pub mod identity;
pub mod moment;
pub mod schema;
pub mod settings;
pub mod telemetry;
pub mod work;
