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
pub(crate) use traits::{HEARTBEAT_SECONDS, PRESENCE_SECONDS};
