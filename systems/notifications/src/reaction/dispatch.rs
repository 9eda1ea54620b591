//! One worker: takes fresh events from the change feed and processes them, users side by side, each user's in order.
//!
//! Owns the worker as a value and its reaction to changes. Does not own the way of an event (`process`).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use client::processor::{Context, Processor, ProcessorStart, Reaction, ReactionError};
use client::{Change, Item};
use futures::StreamExt;
use serde::de::IgnoredAny;

use crate::charged::Bill;
use crate::error::{ErrorKind, Result};
use crate::notifications::{Core, Notifications};
use crate::words::{Event, Moment, Status, UserId};

use super::process::Processed;

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

struct Dispatch {
    core: Arc<Core>,
    worker: String,
    counters: Arc<Counters>,
    /// The last time given to a notification of a user, while it is not over: a burst is listed in its order, also
    /// when the clock is slower than the work.
    given: Mutex<BTreeMap<UserId, Moment>>,
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
        let reaction = Dispatch {
            core: Arc::clone(&core),
            worker: worker.to_owned(),
            counters: Arc::clone(&counters),
            given: Mutex::default(),
        };
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
impl Reaction<IgnoredAny> for Dispatch {
    async fn react(
        &self,
        changes: &[Change<IgnoredAny>],
        _: &Context,
    ) -> std::result::Result<(), ReactionError> {
        let now = self.core.now();
        let mut users: BTreeMap<UserId, Vec<Item<Event>>> = BTreeMap::new();
        let mut bill = Bill::default();
        for item in changes.iter().filter_map(|change| change.current.as_ref()) {
            let Some(event) = self.core.readable(item, &mut bill).await? else { continue };
            let value = &event.value;
            // An event that is scheduled comes again when it is due: the sweep writes it.
            if value.status == Status::Pending && value.due_at() <= now {
                users.entry(value.user_id.clone()).or_default().push(event);
            }
        }
        self.counters.count(bill.0, false);
        let mut work = futures::stream::iter(users.into_values())
            .map(|events| self.in_order(events))
            .buffer_unordered(self.core.settings.users_at_once);
        let mut outcome = Ok(());
        while let Some(one) = work.next().await {
            outcome = outcome.and(one);
        }
        outcome.map_err(Into::into)
    }
}

impl Dispatch {
    /// The events of one user. An error means that the data cannot be reached; what was claimed meanwhile is met with
    /// another etag by the next attempt and left alone.
    async fn in_order(&self, events: Vec<Item<Event>>) -> Result<()> {
        for event in events {
            let (id, user) = (event.value.id.clone(), event.value.user_id.hashed());
            let at = self.next_time(&event.value.user_id);
            match self.core.process(&self.worker, event, at).await {
                Ok(processed) => {
                    self.counters.count(processed.charge, processed.value == Processed::Ended);
                }
                Err(error) => {
                    tracing::warn!(user, event = id, error = %error, "an event could not be worked on");
                    self.core.health.error(self.core.now(), &error.to_string());
                    if error.kind() == ErrorKind::Unavailable {
                        return Err(error);
                    }
                }
            }
        }
        Ok(())
    }
}

impl Dispatch {
    /// The time of the next notification of a user: now, or a little later when now is taken.
    fn next_time(&self, user: &UserId) -> Moment {
        let now = self.core.now();
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.retain(|_, at| *at >= now);
        let at = given.get(user).map_or(now, |at| at.after(Duration::from_millis(1)));
        given.insert(user.clone(), at);
        at
    }
}

impl Counters {
    fn count(&self, charge: f64, ended: bool) {
        self.processed.fetch_add(u64::from(ended), Ordering::Relaxed);
        let milli = (charge * 1_000.0).round() as u64;
        self.charge_milli.fetch_add(milli, Ordering::Relaxed);
    }
}
