//! What a store of ephemeral state can do. Every operation is atomic.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;

/// Seconds of a heartbeat.
pub(crate) const HEARTBEAT_SECONDS: u64 = 120;
/// Seconds after the last write of any entry at which the presence hash as a whole expires.
pub(crate) const PRESENCE_SECONDS: u64 = 600;

/// Result of an operation on ephemeral state.
pub type EphemeralResult<T> = Result<T, EphemeralError>;

/// The store cannot be reached, or is not asked for a while after it could not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EphemeralError(pub String);

/// A store of ephemeral state.
#[async_trait]
pub trait EphemeralStore: Send + Sync {
    /// Stores the code of a user; an earlier one is replaced.
    async fn put_code(&self, user: &str, value: &str, life: Duration) -> EphemeralResult<()>;

    /// The stored code of a user.
    async fn code(&self, user: &str) -> EphemeralResult<Option<String>>;

    /// Removes the code of a user, if it still is this one, together with the count of its attempts. Of two callers one
    /// gets `true`.
    async fn take_code(&self, user: &str, value: &str) -> EphemeralResult<bool>;

    /// Counts an attempt and returns how many there were in the window, which begins with the first.
    async fn count_attempt(&self, user: &str, window: Duration) -> EphemeralResult<u64>;

    /// The attempts in the window.
    async fn attempts(&self, user: &str) -> EphemeralResult<u64>;

    /// Stores the presence entry of a user and a heartbeat at this time, and prolongs all entries.
    async fn put_presence(&self, user: &str, entry: &str, time: &str) -> EphemeralResult<()>;

    /// Removes the presence entry and the heartbeat of a user; whether there was an entry.
    async fn remove_presence(&self, user: &str) -> EphemeralResult<bool>;

    /// All presence entries: user and text.
    async fn presence(&self) -> EphemeralResult<Vec<(String, String)>>;

    /// The users with a heartbeat.
    async fn heartbeats(&self) -> EphemeralResult<Vec<String>>;

    /// Takes one of `limit` permits of a user in a sliding window; `false` if none is left.
    async fn take_permit(&self, user: &str, limit: u32, window: Duration) -> EphemeralResult<bool>;

    /// Whether it can be reached.
    async fn ping(&self) -> EphemeralResult<()>;

    /// What it is and where, without secrets.
    fn summary(&self) -> String;
}

impl fmt::Display for EphemeralError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for EphemeralError {}

impl From<EphemeralError> for crate::error::Error {
    fn from(error: EphemeralError) -> Self {
        Self::unavailable(error.0)
    }
}
