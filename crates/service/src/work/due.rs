//! What the timer finds: retries whose time has come, claims whose lease ended, and what the feed missed.
//!
//! Owns two ways with it: doing it at once, or letting it go back into the change feed. Where all work of a logical
//! partition is to be done by one worker at a time, the feed is the only way to a worker. Does not own a timer.

use client::{Item, Page, Query, QueryPageOptions, Result};
use serde::de::IgnoredAny;

use super::claim::is_taken;
use super::queue::{Queue, Run};
use super::{Stage, Work};

/// What was put back into the change feed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Released {
    /// Waited for its time; nothing had failed.
    pub waiting: u64,
    /// Waited for another attempt.
    pub failed: u64,
    /// Was claimed by a worker that is lost; dead now if that was once too often.
    pub lost: u64,
    /// Request units.
    pub charge: f64,
}

/// One page of works.
struct Found<T> {
    works: Vec<Item<T>>,
    continuation: Option<String>,
    charge: f64,
}

impl<T: Work> Queue<T> {
    /// Works on what is due now.
    ///
    /// # Errors
    /// Those of [`Queue::run`].
    pub async fn run_due(&self) -> Result<Run> {
        self.run(&T::due(self.now(), self.settings().attempts_max)).await
    }

    /// Works on what a query finds, such as the due works of one logical partition. It gives whole items.
    ///
    /// # Errors
    /// Those of the query; one of the writes that failed, after the works of all other partitions were tried.
    pub async fn run(&self, query: &Query) -> Result<Run> {
        let mut continuation = None;
        loop {
            let found = self.found(query, continuation).await?;
            // A page may be empty and not the last.
            if !found.works.is_empty() || found.continuation.is_none() {
                return self.work_on_all(found.works).await;
            }
            continuation = found.continuation;
        }
    }

    /// Lets everything that is due now wait without a time, written in the order it came in: the change feed brings it
    /// to the worker that has its partition. Several instances may do so at once: an etag decides who writes.
    ///
    /// # Errors
    /// Those of the query and of [`client::Container::save`]; what was put back stays so.
    pub async fn release_due(&self) -> Result<Released> {
        let query = T::due(self.now(), self.settings().attempts_max);
        let (mut released, mut works) = (Released::default(), Vec::new());
        let mut continuation = None;
        // All is found before the first is written: what was put back may be due still, and must not be found anew.
        loop {
            let mut found = self.found(&query, continuation).await?;
            released.charge += found.charge;
            works.append(&mut found.works);
            continuation = found.continuation;
            if continuation.is_none() {
                break;
            }
        }
        works.sort_by_key(|item| item.value.created_at());
        for item in works {
            self.release(item, &mut released).await?;
        }
        Ok(released)
    }

    /// A page of a query, of a size as a run has. An item that is no work of this kind is told and passed over: it must
    /// not stop the others.
    async fn found(&self, query: &Query, continuation: Option<String>) -> Result<Found<T>> {
        let rows_max = Some(self.settings().batch_items_max.max(1));
        let options = QueryPageOptions { rows_max, continuation, session_token: None };
        let page = self.container().query_page::<Item<IgnoredAny>>(query, options).await?;
        let Page { rows, continuation, .. } = page.value;
        let works = rows.iter().filter_map(typed_or_told).collect();
        Ok(Found { works, continuation, charge: page.charge })
    }

    async fn release(&self, mut item: Item<T>, released: &mut Released) -> Result<()> {
        let now = self.now();
        let before = item.value.state();
        let Some(mut next) = before.clone().free::<T>(now) else { return Ok(()) };
        let (stage, count) = match before.stage {
            Stage::Waiting { due } => (Stage::Waiting { due }, &mut released.waiting),
            Stage::Failed { .. } => (Stage::Waiting { due: None }, &mut released.failed),
            _ if next.attempts >= self.settings().attempts_max => (Stage::Dead, &mut released.lost),
            _ => (Stage::Waiting { due: None }, &mut released.lost),
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
            // Somebody else was faster, or it is gone.
            Err(error) if is_taken(error.kind()) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

fn typed_or_told<T: Work>(item: &Item<IgnoredAny>) -> Option<Item<T>> {
    let typed = item.typed();
    if let Err(error) = &typed {
        tracing::error!(error = %error, "an item among due work is none");
    }
    typed.ok()
}
