//! An event as work of a queue: how its properties spell where it stands, and how due and dead ones are found.
//!
//! Owns the step between statuses and stages. The queue (`service`) owns claims, leases, attempts, back-off and replay.

use std::time::Duration;

use client::{PartitionKey, Query};
use service::work::{Expires, Expiry, Stage, State, Work};

use crate::words::{Event, Moment, Status};

/// How long an event lives unless the settings say otherwise: see `ends_at` of the dispatcher.
const RETENTION: Duration = Duration::from_secs(30 * 24 * 3600);

impl Expires for Event {
    fn expiry(&mut self) -> Option<Expiry<'_>> {
        let at = self.created_at.after(RETENTION);
        Some(Expiry { ttl: &mut self.ttl, at })
    }
}

impl Work for Event {
    fn id(&self) -> &str {
        &self.id
    }

    fn partition_key(&self) -> PartitionKey {
        self.user_id.partition_key()
    }

    fn created_at(&self) -> Moment {
        self.created_at
    }

    fn state(&self) -> State {
        let stage = match self.status {
            Status::Pending => Stage::Waiting { due: self.scheduled_at },
            // Whoever wrote no lease has none.
            Status::Processing => Stage::Claimed {
                owner: self.lease_owner.clone().unwrap_or_default(),
                until: self.lease_until.unwrap_or_default(),
            },
            Status::Failed => self.next_retry_at.map_or(Stage::Dead, |due| Stage::Failed { due }),
            Status::Completed | Status::RateLimited | Status::Deduplicated => Stage::Done,
        };
        State { stage, attempts: self.retry_count, error: self.last_error.clone() }
    }

    /// Another status of done is written by the end itself. `scheduledAt` stays when its time has come: the window in
    /// which earlier notifications are looked for begins there.
    fn set_state(&mut self, state: State) {
        (self.lease_owner, self.lease_until, self.next_retry_at) = (None, None, None);
        (self.retry_count, self.last_error) = (state.attempts, state.error);
        self.status = match state.stage {
            Stage::Waiting { due } => {
                self.scheduled_at = due.or(self.scheduled_at);
                Status::Pending
            }
            Stage::Failed { due } => {
                self.next_retry_at = Some(due);
                Status::Failed
            }
            Stage::Claimed { owner, until } => {
                (self.lease_owner, self.lease_until) = (Some(owner), Some(until));
                Status::Processing
            }
            Stage::Done => Status::Completed,
            Stage::Dead => Status::Failed,
        };
    }

    /// Fresh events come by the change feed, so those that wait are only asked for by their time.
    fn due(now: Moment, attempts_max: u32) -> Query {
        Query::text(
            "SELECT * FROM c WHERE (c.status = 'FAILED' AND c.nextRetryAt <= @now AND c.retryCount < @most) \
             OR (c.status = 'PROCESSING' AND c.leaseUntil <= @now) \
             OR (c.status = 'PENDING' AND c.scheduledAt <= @now)",
        )
        .parameter("@most", i64::from(attempts_max))
        .parameter("@now", now)
        .fan_out("retries, lost workers and scheduled events of all users")
    }

    fn dead(attempts_max: u32) -> Query {
        Query::text(
            "SELECT * FROM c WHERE c.status = 'FAILED' AND c.retryCount >= @most ORDER BY c.createdAt",
        )
        .parameter("@most", i64::from(attempts_max))
        .fan_out("an operator looks at the dead events of all users")
    }

    /// Workers have drawn names, which say nothing to whoever reads the error.
    fn lost(_: &str, _: Moment) -> String {
        "the worker was lost".to_owned()
    }
}
