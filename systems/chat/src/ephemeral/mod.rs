//! Ephemeral state: one-time codes, presence, heartbeats, the shared limiter, and reminders that are due.
//!
//! Owns the trait and its two implementations: the memory of this process, and Redis. Does not own what a code or a
//! presence entry means (`sign_in`, `presence`).

mod memory;
mod redis_store;
mod traits;

pub use memory::MemoryEphemeral;
pub use redis_store::RedisEphemeral;
pub use traits::{EphemeralError, EphemeralResult, EphemeralStore};

/// Seconds of a heartbeat.
pub(crate) const HEARTBEAT_SECONDS: u64 = 120;
/// Seconds after the last write of any entry at which the presence hash as a whole expires.
pub(crate) const PRESENCE_SECONDS: u64 = 600;
