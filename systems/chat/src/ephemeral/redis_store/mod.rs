//! Ephemeral state in Redis: the keys and times to live of seed 000.
//!
//! | key | type | time to live |
//! |---|---|---|
//! | `otp:{user}` | string | that of a code |
//! | `otp_attempts:{user}` | counter | that of a code, from the first attempt |
//! | `presence:users` | hash: user to JSON | 600 s after the last write |
//! | `heartbeat:{user}` | string: time | 120 s |
//! | `ratelimit:markread:{user}` | sorted set | the window |
//! | `unread:due` | sorted set: message to due time | none |
//!
//! `tenant:{id}:` is in front of each if `Redis:Tenant` is set.

mod commands;
mod connection;
mod reminders;

pub use connection::RedisEphemeral;
