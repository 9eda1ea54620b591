//! Deliver the changes of one lease to the reaction, page by page, until there are no more.
//!
//! Owns attempts, parking and the checkpoint after each page. Delivery ends when another instance took the lease.

use engine::change_feed::ChangeFeedMode;
use model::FeedRange;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::change_feed::{Change, ChangeFeed, ChangePage};
use crate::error::{Error, Result};
use crate::item::Item;
use crate::retry::RetryPolicy;

use super::lease::{Lease, ParkedChange};
use super::reaction::{DeliveryContext, ReactionError};
use super::run::ProcessorInner;

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
        mut lease: Item<Lease>,
    ) -> Result<Option<DeliveryCounts>> {
        let mut total = DeliveryCounts::default();
        loop {
            // The lease was renewed when it was taken. A reaction that outlives the expiry loses it, and the
            // checkpoint below is refused.
            let page = self.page(&lease.value).await?;
            let is_new = !page.changes.is_empty();
            // Deliver, then checkpoint: a crash in between delivers the page again. The other order would lose it.
            let parked = self.deliver(&lease.value, &page.changes).await?;
            let handled = u64::try_from(page.changes.len()).unwrap_or(u64::MAX);
            total.handled += handled.saturating_sub(parked);
            total.parked += parked;
            // Also write the first position, before any change: otherwise every round would look up the start time
            // again.
            if is_new || lease.value.continuation.is_none() {
                lease.value.continuation = Some(page.continuation);
                lease.value.parked += parked;
                lease.value.renewals += 1;
                match self.store.write(&lease).await? {
                    Some(written) => lease = written,
                    // The page was handled, but the new owner will handle it too. That is why reactions must be
                    // idempotent.
                    None => return Ok(None),
                }
            }
            if !page.more || self.is_stopping() {
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

    /// Delivers changes and returns how many were parked. A change that cannot be deserialized into `T` is parked
    /// immediately.
    async fn deliver(&self, lease: &Lease, changes: &[Change<IgnoredAny>]) -> Result<u64> {
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
        if typed.is_empty() || self.attempt(lease, &typed).await.is_ok() {
            return Ok(parked);
        }
        // Retry them one by one, in order, so that only the failing ones are parked.
        for change in &typed {
            if let Err(error) = self.attempt(lease, std::slice::from_ref(change)).await {
                self.park(lease, &change.untyped(), &error.to_string()).await?;
                parked += 1;
            }
        }
        Ok(parked)
    }

    async fn attempt(&self, lease: &Lease, changes: &[Change<T>]) -> ReactionResult {
        let policy = RetryPolicy::default();
        let mut attempt = 1;
        loop {
            let instance = self.options.instance.clone();
            let context = DeliveryContext { instance, lease: lease.number, attempt };
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
