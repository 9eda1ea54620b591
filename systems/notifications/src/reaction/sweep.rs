//! The timer: events that are due again go back into the change feed.
//!
//! Owns the three questions over all users: retries that are due, leases that ran out, scheduled events whose time has
//! come. It only makes them `PENDING`; the change feed brings them to a worker, in the order of their user.

use client::{ErrorKind, Item, Query};
use serde::de::IgnoredAny;

use crate::charged::Bill;
use crate::error::Result;
use crate::notifications::{Core, Notifications};
use crate::words::{Event, Moment, Status};

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
        let core = &self.core;
        let now = core.now();
        let mut bill = Bill::default();
        let retries = Query::text(
            "SELECT * FROM c WHERE c.status = 'FAILED' AND c.nextRetryAt <= @now AND c.retryCount < @most",
        );
        let retries = retries.parameter("@most", i64::from(core.settings.max_retries));
        let retries = retries.parameter("@now", now).fan_out("retries of all users fall due");
        let retries = core.put_back(&retries, now, &mut bill).await?;
        let lost =
            Query::text("SELECT * FROM c WHERE c.status = 'PROCESSING' AND c.leaseUntil < @now");
        let lost = lost.parameter("@now", now).fan_out("workers die with events of any user");
        let lost_leases = core.put_back(&lost, now, &mut bill).await?;
        let due =
            Query::text("SELECT * FROM c WHERE c.status = 'PENDING' AND c.scheduledAt <= @now");
        let due = due.parameter("@now", now).fan_out("scheduled events of all users fall due");
        let scheduled = core.put_back(&due, now, &mut bill).await?;
        if retries + lost_leases + scheduled > 0 {
            core.wake.notify_one();
        }
        Ok(Swept { retries, lost_leases, scheduled, charge: bill.0 })
    }
}

impl Core {
    async fn put_back(&self, query: &Query, now: Moment, bill: &mut Bill) -> Result<u64> {
        let mut count = 0;
        let met: Vec<Item<IgnoredAny>> = bill.take(self.containers.events.query(query).await?);
        let mut found = Vec::with_capacity(met.len());
        for item in met {
            found.extend(self.readable(&item, bill).await?);
        }
        // Events of a user keep their order on the way back.
        found.sort_by_key(|item| item.value.created_at);
        for mut item in found {
            self.make_due(&mut item.value, now);
            let key = item.value.partition_key();
            match self.containers.events.save(&key, &item).await {
                Ok(answer) => {
                    bill.take(answer);
                    count += 1;
                }
                // Somebody else was faster, or the user was erased.
                Err(error)
                    if matches!(error.kind(), ErrorKind::Precondition | ErrorKind::NotFound) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(count)
    }

    fn make_due(&self, event: &mut Event, now: Moment) {
        if event.status == Status::Processing {
            // An event that kills its workers must not do so for ever: a lost worker is an attempt that failed.
            self.fail(event, "the worker was lost", None, now);
        }
        event.ttl = self.ttl(event.created_at, now);
        if event.retry_count < self.settings.max_retries {
            event.status = Status::Pending;
            event.next_retry_at = None;
        }
    }
}
