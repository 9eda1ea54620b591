//! One worker of the dispatcher: reads events from the change feed and processes them, users in parallel, the events of
//! one user in order.
//!
//! Owns the worker as a value, and the hooks that the queue calls for a claimed event and after it. Does not own the
//! processing itself (`process`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use client::processor::{DeliveryContext, Processor, ProcessorStart, Reaction, ReactionError};
use client::{Change, ErrorKind};
use serde::de::IgnoredAny;
use service::work::{
    Claim, ClaimSummary, QueueReaction, WorkCompletion, WorkError, WorkQueue, WorkResult, Worker,
};

use crate::domain::{NotificationEvent, UtcTimestamp, notification_id};
use crate::error::Result;
use crate::monitor::DispatchStep;
use crate::notifications::{Notifications, NotificationsCore};
use crate::queue::{EventRetention, queue_settings};
use service::charge::ChargeMeter;

use super::monotonic_time::MonotonicTimes;

/// One worker of the dispatcher. Several, in one process or in many, share the change feed by leases.
#[derive(Debug)]
pub struct Dispatcher {
    processor: Processor<IgnoredAny>,
    counters: Arc<DispatchCounters>,
}

/// What one round of a worker did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DispatchRound {
    /// Parts of the change feed that this worker has leased.
    pub leases: usize,
    /// Attempts that were finished.
    pub processed: u64,
    /// Request units of these attempts.
    pub charge: f64,
}

#[derive(Debug, Default)]
struct DispatchCounters {
    processed: AtomicU64,
    /// In thousandths of a request unit: there is no atomic `f64`.
    charge_milli: AtomicU64,
}

/// Processes the events that the queue has claimed.
struct EventWorker {
    core: Arc<NotificationsCore>,
    retention: EventRetention,
    creation_times: MonotonicTimes,
    counters: Arc<DispatchCounters>,
}

/// The reaction to the change feed: parses the events and passes them to the queue.
///
/// The feed is read as untyped items. A processor of typed items would stop at the first one that cannot be parsed.
struct DispatchReaction {
    core: Arc<NotificationsCore>,
    queue: QueueReaction<NotificationEvent>,
    counters: Arc<DispatchCounters>,
    /// Whether the last page held more than the ends of events, which this system has written itself. A worker reacts
    /// to one page at a time.
    had_work: AtomicBool,
}

impl Notifications {
    /// A worker with this name, which no other worker may have at the same time. A worker that restarts under its old
    /// name keeps its leases; under a new name it has to wait until they expire.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn dispatcher(&self, worker: &str) -> Result<Dispatcher> {
        let core = Arc::clone(&self.core);
        let settings = &core.settings;
        let counters = Arc::new(DispatchCounters::default());
        let event_worker = EventWorker {
            core: Arc::clone(&core),
            retention: EventRetention::new(settings),
            creation_times: MonotonicTimes::default(),
            counters: Arc::clone(&counters),
        };
        let queue =
            WorkQueue::new(&core.containers.events, queue_settings(settings, worker), event_worker);
        let reaction = DispatchReaction {
            core: Arc::clone(&core),
            queue: queue.reaction(),
            counters: Arc::clone(&counters),
            had_work: AtomicBool::new(true),
        };
        let poll = Duration::from_millis(settings.poll_milliseconds);
        let processor = Processor::<IgnoredAny>::builder(
            &core.containers.events,
            &core.containers.leases,
            "dispatch",
        )
        .instance(worker)
        // Events that were created before the first dispatcher ever ran must be processed too.
        .start_at(ProcessorStart::Beginning)
        .page_items_max(settings.batch_size)
        .poll_interval(poll)
        // A lease is renewed once per poll at most, so it has to outlive two polls.
        .lease_expiry(settings.lease().max(poll * 2))
        // The reaction fails only while the data cannot be reached. The processor must then wait and must not park the
        // event.
        .attempts_max(u32::MAX)
        .build(reaction)
        .await?;
        Ok(Dispatcher { processor, counters })
    }
}

impl Dispatcher {
    /// Processes everything that is new in this worker's share of the change feed.
    ///
    /// # Errors
    /// Those of the account; events processed before are not processed again.
    pub async fn run_once(&self) -> Result<DispatchRound> {
        let round = self.processor.run_once().await?;
        let processed = self.counters.processed.swap(0, Ordering::Relaxed);
        let charge_milli = self.counters.charge_milli.swap(0, Ordering::Relaxed);
        let charge = charge_milli as f64 / 1_000.0;
        Ok(DispatchRound { leases: round.leases, processed, charge })
    }

    /// Releases the worker's leases, so that other workers need not wait until they expire.
    ///
    /// # Errors
    /// Those of the account; the leases then expire.
    pub async fn stop(&self) -> Result<()> {
        Ok(self.processor.stop().await?)
    }
}

#[async_trait]
impl Worker<NotificationEvent> for EventWorker {
    async fn work(
        &self,
        claim: &mut Claim<NotificationEvent>,
    ) -> std::result::Result<WorkCompletion<NotificationEvent>, WorkError> {
        let core = &self.core;
        // Tests stop the process at these steps.
        core.report_step(DispatchStep::Claimed);
        let created_at = self.creation_times.next(&claim.document().user_id, core.now());
        let mut meter = ChargeMeter::default();
        let result = core.process_event(claim.document(), created_at, &mut meter).await;
        claim.add_charge(meter.total());
        match result {
            Ok(Some(result)) => Ok(result.into_finish(core.now())),
            // The lease has expired. Nothing is written: the event may belong to another worker.
            Ok(None) => Err(WorkError::Lost),
            Err(error) => Err(WorkError::retry(error.to_string())),
        }
    }

    fn on_due(&self, _: &NotificationEvent) {
        self.core.report_step(DispatchStep::Received);
    }

    async fn on_claim_end(
        &self,
        event: &NotificationEvent,
        ended: ClaimSummary,
    ) -> client::Result<()> {
        let core = &self.core;
        core.report_step(DispatchStep::Finished);
        let is_written = !matches!(ended.result, WorkResult::Lost | WorkResult::Gone);
        self.counters.add(ended.charge, is_written);
        match ended.result {
            WorkResult::Retry | WorkResult::Dead => {
                let (user, error) = (event.user_id.hash_hex(), event.last_error.as_deref());
                let error = error.unwrap_or_default();
                tracing::warn!(user, event = event.id, error, "an event failed");
                core.health.record_error(core.now(), error);
                Ok(())
            }
            // The event was deleted while it was processed: its user was erased. The erasure may have passed the list
            // before the notification was written, so it is deleted here.
            WorkResult::Gone => {
                let (key, id) = (event.partition_key(), notification_id(&event.id));
                match core.containers.notifications.delete(&key, &id, None).await {
                    Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn expires_at(&self, event: &NotificationEvent, now: UtcTimestamp) -> Option<UtcTimestamp> {
        Some(self.retention.expires_at(event, now))
    }
}

#[async_trait]
impl Reaction<IgnoredAny> for DispatchReaction {
    async fn react(
        &self,
        changes: &[Change<IgnoredAny>],
        context: &DeliveryContext,
    ) -> std::result::Result<(), ReactionError> {
        let mut meter = ChargeMeter::default();
        let mut events = Vec::with_capacity(changes.len());
        for change in changes {
            let Some(item) = &change.current else { continue };
            if let Some(event) = self.core.parse_event(item, &mut meter).await? {
                events.push(Change {
                    operation: change.operation,
                    id: change.id.clone(),
                    partition_key: change.partition_key.clone(),
                    current: Some(event),
                    previous: None,
                });
            }
        }
        self.counters.add(meter.total(), false);
        // Before the reaction, while events are still due.
        let is_unreadable = changes.len() > events.len();
        let had_work = is_unreadable || self.queue.needs_checkpoint(&events);
        self.had_work.store(had_work, Ordering::Relaxed);
        let result = self.queue.react(&events, context).await;
        if let Err(error) = &result {
            self.core.health.record_error(self.core.now(), &error.to_string());
        }
        result
    }

    fn needs_checkpoint(&self, _: &[Change<IgnoredAny>]) -> bool {
        self.had_work.load(Ordering::Relaxed)
    }
}

impl DispatchCounters {
    fn add(&self, charge: f64, is_processed: bool) {
        self.processed.fetch_add(u64::from(is_processed), Ordering::Relaxed);
        // Charges are never negative, and a float that is too large saturates.
        let milli = (charge * 1_000.0).round() as u64;
        self.charge_milli.fetch_add(milli, Ordering::Relaxed);
    }
}
