//! Events as work of a queue: how an event stores its state, how due and dead events are found, and when they expire.
//!
//! Owns the mapping between event statuses and the queue's stages, and the queue settings. The queue itself (`service`)
//! owns claims, leases, attempts, back-off and replay. Does not process events (`reaction`).

use std::time::Duration;

use async_trait::async_trait;
use client::{Container, PartitionKey, Query};
use service::work::{
    Backoff, Claim, Expires, Expiry, QueueSettings, WorkCompletion, WorkError, WorkItem, WorkQueue,
    WorkStage, WorkState, Worker,
};

use crate::domain::{EventStatus, NotificationEvent, UtcTimestamp};
use crate::settings::NotificationSettings;

/// Retries wait 2, 4, 8, 16 minutes and so on, plus up to a tenth, so that events that failed together do not all come
/// back together.
const BACKOFF: Backoff = Backoff {
    first: Duration::from_secs(2 * 60),
    // 2^16 minutes, far beyond any number of retries: in effect there is no upper bound.
    longest: Duration::from_secs(60 << 16),
    jitter_percent: 10,
};

/// The retention that [`Expires`] knows. Every write goes through a queue whose worker computes the expiry from the
/// settings ([`EventRetention`]), which overrides it.
const DEFAULT_RETENTION: Duration = Duration::from_secs(30 * 24 * 3600);

/// How long events are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventRetention {
    from_creation: Duration,
    from_completion: Option<Duration>,
}

/// The worker of a queue object that only adds, releases and replays events.
struct NoWorker(EventRetention);

/// A queue object that adds events, releases due ones and replays failed ones, but never processes any.
pub(crate) fn producer_queue(
    events: &Container,
    settings: &NotificationSettings,
) -> WorkQueue<NotificationEvent> {
    WorkQueue::new(
        events,
        queue_settings(settings, "no worker"),
        NoWorker(EventRetention::new(settings)),
    )
}

/// The settings of a queue object of the instance with this name.
pub(crate) fn queue_settings(settings: &NotificationSettings, instance: &str) -> QueueSettings {
    QueueSettings {
        instance: instance.to_owned(),
        lease: settings.lease(),
        attempts_max: settings.max_retries,
        backoff: BACKOFF,
        batch_items_max: settings.batch_size,
        concurrency: settings.users_at_once,
        default_ttl_seconds: Some(settings.retention_seconds()),
    }
}

impl EventRetention {
    pub(crate) fn new(settings: &NotificationSettings) -> Self {
        Self { from_creation: settings.retention(), from_completion: settings.completed_age_max() }
    }

    /// When an event that is written now expires. It counts from creation, so writes do not prolong its life; a
    /// completed event may expire sooner.
    pub(crate) fn expires_at(self, event: &NotificationEvent, now: UtcTimestamp) -> UtcTimestamp {
        let end = event.created_at.after(self.from_creation);
        let is_completed = match event.status {
            EventStatus::Pending | EventStatus::Processing | EventStatus::Failed => false,
            EventStatus::Completed | EventStatus::RateLimited | EventStatus::Deduplicated => true,
        };
        match self.from_completion.filter(|_| is_completed) {
            // Never later than counted from creation.
            Some(age_max) => end.min(now.after(age_max)),
            None => end,
        }
    }
}

#[async_trait]
impl Worker<NotificationEvent> for NoWorker {
    /// Never called: nobody claims through this queue object. Losing the claim writes nothing, so the event would stay
    /// claimed until its lease expires.
    async fn work(
        &self,
        _: &mut Claim<NotificationEvent>,
    ) -> Result<WorkCompletion<NotificationEvent>, WorkError> {
        Err(WorkError::Lost)
    }

    fn expires_at(&self, event: &NotificationEvent, now: UtcTimestamp) -> Option<UtcTimestamp> {
        Some(self.0.expires_at(event, now))
    }
}

impl Expires for NotificationEvent {
    fn expiry(&mut self) -> Option<Expiry<'_>> {
        let at = self.created_at.after(DEFAULT_RETENTION);
        Some(Expiry { ttl: &mut self.ttl, at })
    }
}

impl WorkItem for NotificationEvent {
    fn id(&self) -> &str {
        &self.id
    }

    fn partition_key(&self) -> PartitionKey {
        self.user_id.partition_key()
    }

    fn created_at(&self) -> UtcTimestamp {
        self.created_at
    }

    fn state(&self) -> WorkState {
        let stage = match self.status {
            EventStatus::Pending => WorkStage::Waiting { due: self.scheduled_at },
            // An event that says PROCESSING without a lease was not written by this program. The default time has long
            // passed, so it counts as an expired lease and is released.
            EventStatus::Processing => WorkStage::Claimed {
                owner: self.lease_owner.clone().unwrap_or_default(),
                until: self.lease_until.unwrap_or_default(),
            },
            EventStatus::Failed => {
                self.next_retry_at.map_or(WorkStage::Dead, |due| WorkStage::Failed { due })
            }
            EventStatus::Completed | EventStatus::RateLimited | EventStatus::Deduplicated => {
                WorkStage::Done
            }
        };
        WorkState { stage, attempts: self.retry_count, error: self.last_error.clone() }
    }

    /// `WorkStage::Done` becomes `COMPLETED` here; the attempt's result then sets the other final statuses in the same
    /// write.
    fn set_state(&mut self, state: WorkState) {
        // Cleared first, so that no property of the stage before remains beside the new one.
        (self.lease_owner, self.lease_until, self.next_retry_at) = (None, None, None);
        (self.retry_count, self.last_error) = (state.attempts, state.error);
        self.status = match state.stage {
            WorkStage::Waiting { due } => {
                // `scheduledAt` stays after its time has come: the dedupe window of the event begins there.
                self.scheduled_at = due.or(self.scheduled_at);
                EventStatus::Pending
            }
            WorkStage::Failed { due } => {
                self.next_retry_at = Some(due);
                EventStatus::Failed
            }
            WorkStage::Claimed { owner, until } => {
                (self.lease_owner, self.lease_until) = (Some(owner), Some(until));
                EventStatus::Processing
            }
            WorkStage::Done => EventStatus::Completed,
            WorkStage::Dead => EventStatus::Failed,
        };
    }

    /// Unscheduled `PENDING` events are left out: the change feed delivers them.
    fn due(now: UtcTimestamp, attempts_max: u32) -> Query {
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

    /// Worker names are random, so they mean nothing to whoever reads the error.
    fn lost_worker_error(_: &str, _: UtcTimestamp) -> String {
        "the worker was lost".to_owned()
    }
}
