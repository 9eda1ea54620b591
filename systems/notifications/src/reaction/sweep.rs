//! The sweep: a timer writes events that are due back into the change feed.
//!
//! The queue finds due retries, expired leases and scheduled events, and makes them `PENDING` again. The change feed
//! then delivers them to the worker that has their user, so the sweep may run in any process.

use crate::error::Result;
use crate::notifications::Notifications;

/// What one sweep released.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SweepReport {
    /// Retries that were due.
    pub retries: u64,
    /// Events whose worker was lost: their lease had expired.
    pub lost_leases: u64,
    /// Scheduled events whose time had come.
    pub scheduled: u64,
    /// Request units.
    pub charge: f64,
}

impl Notifications {
    /// Runs one sweep. Several processes may do it at the same time: the etag decides whose write counts.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn sweep(&self) -> Result<SweepReport> {
        let released = self.core.queue.release_due().await?;
        let report = SweepReport {
            retries: released.failed,
            lost_leases: released.lost,
            scheduled: released.waiting,
            charge: released.charge,
        };
        if report.retries + report.lost_leases + report.scheduled > 0 {
            self.core.wake_dispatcher.notify_one();
        }
        Ok(report)
    }
}
