//! One worker: takes fresh events from the change feed and processes them, users side by side, each user's in order.
//!
//! Owns the worker as a value, and what it does for the queue: the way of a claimed event, and what follows its end.
//! Does not own the way itself (`process`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use client::processor::{Context, Processor, ProcessorStart, Reaction, ReactionError};
use client::{Change, ErrorKind};
use serde::de::IgnoredAny;
use service::work::{
    Backoff, Claim, Ended, Finish, Queue, QueueReaction, QueueSettings, WorkError, Worked, Worker,
};

use crate::charged::Bill;
use crate::error::Result;
use crate::notifications::{Core, Notifications};
use crate::words::{Event, Moment, Status, notification_id};

use super::order::Order;
use super::step::Step;

/// One worker of the dispatcher. Several share the work by leases, in one process or in many.
#[derive(Debug)]
pub struct Dispatcher {
    processor: Processor<IgnoredAny>,
    counters: Arc<Counters>,
}

/// What one round of a worker did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Round {
    /// Parts of the feed this worker has now.
    pub leases: usize,
    /// Attempts that came to their end.
    pub processed: u64,
    /// Request units of these attempts.
    pub charge: f64,
}

#[derive(Debug, Default)]
struct Counters {
    processed: AtomicU64,
    /// In thousandths.
    charge_milli: AtomicU64,
}

/// Retries wait 2, 4, 8 minutes and so on, and up to a tenth more.
const BACKOFF: Backoff = Backoff {
    first: Duration::from_secs(2 * 60),
    longest: Duration::from_secs(60 << 16),
    jitter_percent: 10,
};

struct Dispatch {
    core: Arc<Core>,
    order: Order,
    counters: Arc<Counters>,
}

/// The queue's reaction, without what is no event and with a note of what it could not do.
struct Watched {
    core: Arc<Core>,
    reaction: QueueReaction<Event>,
    counters: Arc<Counters>,
}

impl Notifications {
    /// A worker of this name, different from that of every other; a worker started again under its old name goes on
    /// with its leases at once.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn dispatcher(&self, worker: &str) -> Result<Dispatcher> {
        let core = Arc::clone(&self.core);
        let settings = &core.settings;
        let counters = Arc::new(Counters::default());
        let reaction = self.queue_of(worker, &counters).reaction();
        let reaction =
            Watched { core: Arc::clone(&core), reaction, counters: Arc::clone(&counters) };
        let poll = Duration::from_millis(settings.poll_milliseconds);
        let processor = Processor::<IgnoredAny>::builder(
            &core.containers.events,
            &core.containers.leases,
            "dispatch",
        )
        .instance(worker)
        .start_at(ProcessorStart::Beginning)
        .page_items_max(settings.batch_size)
        .poll_interval(poll)
        .lease_expiry(settings.lease().max(poll * 2))
        // An event must not be parked because the data cannot be reached for a while.
        .attempts_max(u32::MAX)
        .build(reaction)
        .await?;
        Ok(Dispatcher { processor, counters })
    }

    /// The queue of events, for whoever does not work on them.
    pub(crate) fn queue(&self) -> Queue<Event> {
        self.queue_of("no worker", &Arc::default())
    }

    fn queue_of(&self, worker: &str, counters: &Arc<Counters>) -> Queue<Event> {
        let settings = &self.core.settings;
        let chosen = QueueSettings {
            instance: worker.to_owned(),
            lease: settings.lease(),
            attempts_max: settings.max_retries,
            backoff: BACKOFF,
            batch_items_max: settings.batch_size,
            concurrency: settings.users_at_once,
            default_ttl_seconds: Some(settings.retention_seconds()),
        };
        let (core, counters) = (Arc::clone(&self.core), Arc::clone(counters));
        let dispatch = Dispatch { core, order: Order::default(), counters };
        Queue::new(&self.core.containers.events, chosen, dispatch)
    }
}

impl Dispatcher {
    /// Processes everything that is new in this worker's share.
    ///
    /// # Errors
    /// Those of the account; what was processed before is not processed again.
    pub async fn run_once(&self) -> Result<Round> {
        let round = self.processor.run_once().await?;
        let processed = self.counters.processed.swap(0, Ordering::Relaxed);
        let charge_milli = self.counters.charge_milli.swap(0, Ordering::Relaxed);
        let charge = charge_milli as f64 / 1_000.0;
        Ok(Round { leases: round.leases, processed, charge })
    }

    /// Lets other workers have its share at once.
    ///
    /// # Errors
    /// Those of the account; its leases then expire.
    pub async fn stop(&self) -> Result<()> {
        Ok(self.processor.stop().await?)
    }
}

#[async_trait]
impl Worker<Event> for Dispatch {
    async fn work(
        &self,
        claim: &mut Claim<Event>,
    ) -> std::result::Result<Finish<Event>, WorkError> {
        let core = &self.core;
        core.reached(Step::Claimed);
        let at = self.order.next(&claim.document().user_id, core.now());
        let mut bill = Bill::default();
        let outcome = core.carry_out(claim.document(), at, &mut bill).await;
        claim.add_charge(bill.0);
        match outcome {
            Ok(Some(outcome)) => Ok(outcome.finish(core.now())),
            Ok(None) => Err(WorkError::Lost),
            Err(error) => Err(WorkError::again(error.to_string())),
        }
    }

    fn met(&self, _: &Event) {
        self.core.reached(Step::Met);
    }

    async fn ended(&self, event: &Event, ended: Ended) -> client::Result<()> {
        let core = &self.core;
        core.reached(Step::Ended);
        let is_written = !matches!(ended.worked, Worked::Lost | Worked::Gone);
        self.counters.count(ended.charge, is_written);
        if is_written {
            core.health.processed();
        }
        match ended.worked {
            Worked::Again | Worked::Dead => {
                let (user, error) = (event.user_id.hashed(), event.last_error.as_deref());
                let error = error.unwrap_or_default();
                tracing::warn!(user, event = event.id, error, "an event failed");
                core.health.error(core.now(), error);
                Ok(())
            }
            // Its user was erased while we worked: what we wrote must not stay.
            Worked::Gone => {
                let (key, id) = (event.partition_key(), notification_id(&event.id));
                match core.containers.notifications.delete(&key, &id, None).await {
                    Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn ends_at(&self, event: &Event, now: Moment) -> Option<Moment> {
        let settings = &self.core.settings;
        let end = event.created_at.after(settings.retention());
        let is_done =
            !matches!(event.status, Status::Pending | Status::Processing | Status::Failed);
        match settings.completed_age_max().filter(|_| is_done) {
            Some(age_max) => Some(end.min(now.after(age_max))),
            None => Some(end),
        }
    }
}

#[async_trait]
impl Reaction<IgnoredAny> for Watched {
    async fn react(
        &self,
        changes: &[Change<IgnoredAny>],
        context: &Context,
    ) -> std::result::Result<(), ReactionError> {
        let mut bill = Bill::default();
        let mut events = Vec::with_capacity(changes.len());
        for change in changes {
            let Some(item) = &change.current else { continue };
            if let Some(event) = self.core.readable(item, &mut bill).await? {
                events.push(Change {
                    operation: change.operation,
                    id: change.id.clone(),
                    partition_key: change.partition_key.clone(),
                    current: Some(event),
                    previous: None,
                });
            }
        }
        self.counters.count(bill.0, false);
        let outcome = self.reaction.react(&events, context).await;
        if let Err(error) = &outcome {
            self.core.health.error(self.core.now(), &error.to_string());
        }
        outcome
    }
}

impl Counters {
    fn count(&self, charge: f64, ended: bool) {
        self.processed.fetch_add(u64::from(ended), Ordering::Relaxed);
        let milli = (charge * 1_000.0).round() as u64;
        self.charge_milli.fetch_add(milli, Ordering::Relaxed);
    }
}
