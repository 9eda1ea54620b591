//! What a queue of reminders can do.

use std::time::Duration;

use async_trait::async_trait;

use crate::domain::{UnreadReminder, UtcTimestamp};
use crate::error::Result;

/// A queue of reminders that survives a restart.
#[async_trait]
pub trait ReminderQueue: Send + Sync {
    /// Adds a reminder.
    async fn schedule(&self, reminder: &UnreadReminder, due: UtcTimestamp) -> Result<()>;

    /// Removes a reminder, because it was read or sent.
    async fn cancel(&self, reminder: &UnreadReminder) -> Result<()>;

    /// Takes the reminders that are due, for one of all processes. What is not cancelled within the lease is due again.
    async fn claim_due(
        &self,
        now: UtcTimestamp,
        lease: Duration,
        most: usize,
    ) -> Result<Vec<UnreadReminder>>;
}
