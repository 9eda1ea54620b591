//! Deliver the changes of one lease to the reaction, page by page, until there are no more.
//!
//! Owns attempts, parking and the checkpoint after each page. Delivery ends when another instance took the lease.

use engine::change_feed::ChangeFeedMode;
use model::{FeedRange, TimestampMs};
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::change_feed::{Change, ChangeFeed, ChangePage};
use crate::error::{Error, Result};
use crate::item::Item;
use crate::retry::RetryPolicy;

use super::lease::{HeldLease, Lease, ParkedChange};
use super::reaction::{DeliveryContext, ReactionError};
use super::run::ProcessorInner;

/// What became of a page.
struct Delivered {
    parked: u64,
    /// Whether the position behind it is worth a write.
    needs_checkpoint: bool,
}

type ReactionResult = std::result::Result<(), ReactionError>;

/// Counts of one lease.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DeliveryCounts {
    pub(super) handled: u64,
    pub(super) parked: u64,
}

impl<T: DeserializeOwned + Send + Sync> ProcessorInner<T> {
    /// Handles all new changes; `None` when another instance took the lease in the meantime.
    pub(super) async fn process_lease(
        &self,
        mut lease: HeldLease,
    ) -> Result<Option<DeliveryCounts>> {
        let mut total = DeliveryCounts::default();
        loop {
            // The lease was renewed when it was taken. A reaction that outlives the expiry loses it, and the
            // checkpoint below is refused.
            let page = self.page(&lease.item.value).await?;
            // Deliver, then checkpoint: a crash in between delivers the page again. The other order would lose it.
            let Delivered { parked, needs_checkpoint } =
                self.deliver(&lease, &page.changes).await?;
            let handled = u64::try_from(page.changes.len()).unwrap_or(u64::MAX);
            total.handled += handled.saturating_sub(parked);
            total.parked += parked;
            // Also write the first position, before any change: otherwise every round would look up the start time
            // again.
            let is_first = lease.item.value.continuation.is_none();
            lease.item.value.continuation = Some(page.continuation);
            lease.item.value.parked += parked;
            if needs_checkpoint || is_first {
                let renewed_at = self.environment().now();
                lease.item.value.renewals += 1;
                match self.store.write(&lease.item).await? {
                    Some(item) => lease = HeldLease { item, renewed_at, ..lease },
                    // The page was handled, but the new owner will handle it too. That is why reactions must be
                    // idempotent.
                    None => return Ok(None),
                }
            }
            if !page.more || self.is_stopping() {
                self.lock_held().insert(lease.item.value.number, lease);
                return Ok(Some(total));
            }
        }
    }

    async fn page(&self, lease: &Lease) -> Result<ChangePage<IgnoredAny>> {
        let feed = ChangeFeed {
            feed_range: FeedRange::parse(&lease.part)?,
            mode: ChangeFeedMode::LatestVersion,
            start: lease.start(),
            items_max: Some(self.options.page_items_max),
        };
        Ok(self.monitored.changes(feed).await?.value)
    }

    /// Delivers changes. One that cannot be deserialized into `T` is parked immediately.
    async fn deliver(&self, held: &HeldLease, changes: &[Change<IgnoredAny>]) -> Result<Delivered> {
        let lease = &held.item.value;
        let mut parked = 0;
        let mut typed = Vec::with_capacity(changes.len());
        for change in changes {
            match change.typed::<T>() {
                Ok(change) => typed.push(change),
                Err(error) => {
                    self.park(lease, change, &error.to_string()).await?;
                    parked += 1;
                }
            }
        }
        // The whole page first: one call for many changes is the usual case.
        if typed.is_empty() || self.attempt(held, &typed, 1).await.is_ok() {
            // What was parked must not be parked again after a crash.
            let is_worth_it = !typed.is_empty() && self.reaction.needs_checkpoint(&typed);
            return Ok(Delivered { parked, needs_checkpoint: parked > 0 || is_worth_it });
        }
        // Retry them one by one, in order, so that only the failing ones are parked.
        for change in &typed {
            if let Err(error) = self.attempt(held, std::slice::from_ref(change), 2).await {
                self.park(lease, &change.untyped(), &error.to_string()).await?;
                parked += 1;
            }
        }
        Ok(Delivered { parked, needs_checkpoint: true })
    }

    /// Delivers changes until the reaction succeeds or its attempts, which are counted from `first`, are used up.
    async fn attempt(&self, held: &HeldLease, changes: &[Change<T>], first: u32) -> ReactionResult {
        let (lease, policy) = (&held.item.value, RetryPolicy::default());
        let expiry_ms = u64::try_from(self.options.lease_expiry.as_millis()).unwrap_or(u64::MAX);
        let exclusive_until = TimestampMs(held.renewed_at.0.saturating_add(expiry_ms));
        let mut attempt = 1;
        loop {
            let context = DeliveryContext {
                instance: self.options.instance.clone(),
                lease: lease.number,
                attempt: attempt + first - 1,
                repeated_until: held.repeated_until,
                exclusive_until,
            };
            let error = match self.reaction.react(changes, &context).await {
                Ok(()) => return Ok(()),
                Err(error) => error,
            };
            tracing::warn!(lease = lease.number, attempt, error = %error, "a reaction failed");
            if attempt >= self.options.attempts_max {
                return Err(error);
            }
            let environment = self.environment();
            environment.sleep(policy.backoff(attempt, environment.random())).await;
            attempt += 1;
        }
    }

    async fn park(&self, lease: &Lease, change: &Change<IgnoredAny>, error: &str) -> Result<()> {
        // A new id per parking: a page that is delivered again after a crash parks its change a second time rather
        // than not at all.
        let number = self.environment().random();
        let as_value = |item: &Option<Item<IgnoredAny>>| match item {
            Some(item) => serde_json::from_slice(item.text()).map(Some).map_err(|error| {
                Error::unexpected("a change that is to be parked is no JSON").caused_by(&error)
            }),
            None => Ok(None),
        };
        let parked = ParkedChange {
            id: format!("{}..parked.{}.{number:016x}", self.store.name(), lease.number),
            processor: self.store.name().to_owned(),
            lease: lease.number,
            error: error.to_owned(),
            item: as_value(&change.current)?,
            previous: as_value(&change.previous)?,
            item_id: change.id.clone(),
        };
        // The id of the record and never the item, which may contain personal data.
        tracing::error!(id = parked.id, error, "a change was parked");
        self.store.park(parked).await
    }
}
