//! Items that a timer finds: retries that are due, claims whose lease expired, and items that the feed missed.
//!
//! Owns two ways to handle them: work on them at once, or release them into the change feed. Where all items of a
//! logical partition must be processed by one worker at a time, only the feed may hand them to a worker, because it
//! assigns each partition to one. Does not own a timer.

use client::{Item, Page, Query, QueryPageOptions, Result};
use serde::de::IgnoredAny;

use super::claim::{DueItem, is_write_conflict};
use super::queue::{QueueRun, WorkQueue};
use super::{WorkItem, WorkStage};

/// Counts of items that were released into the change feed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReleaseCounts {
    /// Items that waited for their due time without a failure.
    pub waiting: u64,
    /// Items that waited for another attempt.
    pub failed: u64,
    /// Items whose worker was lost; marked as dead if their attempts are used up.
    pub lost: u64,
    /// Request units.
    pub charge: f64,
}

/// One page of items.
struct WorkPage<T> {
    items: Vec<Item<T>>,
    continuation: Option<String>,
    charge: f64,
}

impl<T: WorkItem> WorkQueue<T> {
    /// Works on the items that are due now.
    ///
    /// # Errors
    /// Those of [`WorkQueue::run`].
    pub async fn run_due(&self) -> Result<QueueRun> {
        self.run(&T::due(self.now(), self.settings().attempts_max)).await
    }

    /// Works on the items of a query, such as those due in one logical partition. The query must return whole items.
    ///
    /// # Errors
    /// Those of the query; one of the failed writes, after all other partitions were tried.
    pub async fn run(&self, query: &Query) -> Result<QueueRun> {
        let mut continuation = None;
        loop {
            let found = self.read_page(query, continuation).await?;
            // An empty page is not necessarily the last.
            if !found.items.is_empty() || found.continuation.is_none() {
                // One page per call. Working on it changes what the query finds, so a continuation would skip items.
                let due = found.items.into_iter();
                let due = due.map(|item| DueItem { item, exclusive_until: None });
                return self.work_on_all(due.collect()).await;
            }
            continuation = found.continuation;
        }
    }

    /// Writes all items that are due now as waiting without a due time, oldest first, so that the change feed delivers
    /// them to the worker of their partition. Several instances may do so at once: the etag decides whose write
    /// succeeds.
    ///
    /// # Errors
    /// Those of the query and of [`client::Container::save`]; items already released stay released.
    pub async fn release_due(&self) -> Result<ReleaseCounts> {
        let query = T::due(self.now(), self.settings().attempts_max);
        let (mut released, mut items) = (ReleaseCounts::default(), Vec::new());
        let mut continuation = None;
        // Read all pages before the first write: a released item may still match the query and would be found again.
        loop {
            let mut found = self.read_page(&query, continuation).await?;
            released.charge += found.charge;
            items.append(&mut found.items);
            continuation = found.continuation;
            if continuation.is_none() {
                break;
            }
        }
        items.sort_by_key(|item| item.value.created_at());
        for item in items {
            self.release(item, &mut released).await?;
        }
        Ok(released)
    }

    /// A page of a query. An item that cannot be deserialized is logged and skipped: it must not block the others.
    async fn read_page(&self, query: &Query, continuation: Option<String>) -> Result<WorkPage<T>> {
        let rows_max = Some(self.settings().batch_items_max.max(1));
        let options = QueryPageOptions { rows_max, continuation, session_token: None };
        let page = self.container().query_page::<Item<IgnoredAny>>(query, options).await?;
        let Page { rows, continuation, .. } = page.value;
        let items = rows.iter().filter_map(deserialize_or_log).collect();
        Ok(WorkPage { items, continuation, charge: page.charge })
    }

    async fn release(&self, mut item: Item<T>, released: &mut ReleaseCounts) -> Result<()> {
        let now = self.now();
        let before = item.value.state();
        let Some(mut next) = before.clone().begin_attempt::<T>(now) else { return Ok(()) };
        let (stage, count) = match before.stage {
            // The due time stays: the write alone puts the item into the change feed.
            WorkStage::Waiting { due } => (WorkStage::Waiting { due }, &mut released.waiting),
            WorkStage::Failed { .. } => (WorkStage::Waiting { due: None }, &mut released.failed),
            _ if next.attempts >= self.settings().attempts_max => {
                (WorkStage::Dead, &mut released.lost)
            }
            _ => (WorkStage::Waiting { due: None }, &mut released.lost),
        };
        next.stage = stage;
        item.value.set_state(next);
        self.refresh_ttl(&mut item.value, now);
        match self.container().save(&item.value.partition_key(), &item).await {
            Ok(saved) => {
                *count += 1;
                released.charge += saved.charge;
                Ok(())
            }
            // Another instance was faster, or the item was deleted.
            Err(error) if is_write_conflict(error.kind()) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

fn deserialize_or_log<T: WorkItem>(item: &Item<IgnoredAny>) -> Option<Item<T>> {
    let typed = item.typed();
    if let Err(error) = &typed {
        tracing::error!(error = %error, "an item among due work cannot be deserialized");
    }
    typed.ok()
}
