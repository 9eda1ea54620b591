//! The timer: events that are due again go back into the change feed.
//!
//! Owns what a round of it tells. The queue finds retries that are due, leases that ran out and scheduled events whose
//! time has come, and lets them wait; the change feed brings them to a worker, in the order of their user.

use crate::error::Result;
use crate::notifications::Notifications;

/// What one round of the timer found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Swept {
    /// Retries that were due.
    pub retries: u64,
    /// Workers that were lost.
    pub lost_leases: u64,
    /// Scheduled events whose time has come.
    pub scheduled: u64,
    /// Request units.
    pub charge: f64,
}

impl Notifications {
    /// One round of the timer. Several processes may do it at the same time: an etag decides who writes.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn sweep(&self) -> Result<Swept> {
        let released = self.queue().release_due().await?;
        let swept = Swept {
            retries: released.failed,
            lost_leases: released.lost,
            scheduled: released.waiting,
            charge: released.charge,
        };
        if swept.retries + swept.lost_leases + swept.scheduled > 0 {
            self.core.wake.notify_one();
        }
        Ok(swept)
    }
}
