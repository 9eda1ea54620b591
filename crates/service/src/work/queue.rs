//! The queue: enqueue, work on items, list and replay dead ones.
//!
//! Owns the order of processing: logical partitions concurrently, the items of each in sequence. Does not own what
//! finds the items: the change feed (`reaction`) and a timer (`due`).

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use client::{
    AccountResponse, Container, Error, ErrorKind, Item, Page, PartitionKey, QueryPageOptions,
    Result,
};
use futures::{StreamExt, stream};

use super::claim::{ClaimAttempt, DueItem};
use super::reaction::QueueReaction;
use super::worker::Worker;
use super::{
    Backoff, Expiry, UtcTimestamp, WorkItem, WorkStage, WorkState, refresh_ttl, ttl_seconds,
};

/// A work queue stored as items of a container. Clones share it.
pub struct WorkQueue<T> {
    inner: Arc<QueueInner<T>>,
}

struct QueueInner<T> {
    container: Container,
    settings: QueueSettings,
    worker: Box<dyn Worker<T>>,
}

/// The settings of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueSettings {
    /// Name of this instance, shown in the owner of a claim.
    pub instance: String,
    /// Time after which a claim that was not renewed is available to others. The end of a lease is compared with the
    /// clock of another instance, so it must be much longer than the difference between clocks.
    pub lease: Duration,
    /// Number of failed attempts after which an item is dead.
    pub attempts_max: u32,
    /// Delays between attempts.
    pub backoff: Backoff,
    /// Maximum number of items of one run.
    pub batch_items_max: usize,
    /// Number of logical partitions processed concurrently. The items of one are always processed in sequence.
    pub concurrency: usize,
    /// The default time to live of the container. An item whose `ttl` would be equal to it omits the property, which
    /// saves the charge of an indexed property. `None` if the container has no default.
    pub default_ttl_seconds: Option<u32>,
}

/// The result of working on one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WorkResult {
    /// It is done, not due, or claimed by another worker.
    NotDue,
    /// Another writer changed it first.
    Taken,
    /// It was completed.
    Done,
    /// It is due later; nothing failed.
    Postponed,
    /// It failed and will be retried.
    Retry,
    /// Its attempts are used up.
    Dead,
    /// Another worker took over the claim meanwhile.
    Lost,
    /// The item was deleted meanwhile, for example because its subject was erased.
    Gone,
}

/// The number of items of one run by result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueRun {
    counts: BTreeMap<WorkResult, u64>,
}

/// The result of a replay.
#[derive(Clone, Debug)]
pub enum ReplayResult<T> {
    /// The item waits again, with no attempt counted.
    Replayed(AccountResponse<Item<T>>),
    /// The item has not failed; this is it.
    NotFailed(Item<T>),
    /// The item does not exist.
    Missing,
}

impl Default for QueueSettings {
    fn default() -> Self {
        Self {
            instance: "instance".to_owned(),
            lease: Duration::from_secs(120),
            attempts_max: 5,
            backoff: Backoff::default(),
            batch_items_max: 100,
            concurrency: 1,
            default_ttl_seconds: None,
        }
    }
}

impl<T: WorkItem> WorkQueue<T> {
    /// The queue in this container, processed by this worker.
    #[must_use]
    pub fn new(
        container: &Container,
        settings: QueueSettings,
        worker: impl Worker<T> + 'static,
    ) -> Self {
        let (container, worker) = (container.clone(), Box::new(worker));
        Self { inner: Arc::new(QueueInner { container, settings, worker }) }
    }

    /// Creates an item.
    ///
    /// # Errors
    /// Those of [`Container::create`]: `Conflict` if an item with this id exists.
    pub async fn enqueue(&self, mut work: T) -> Result<AccountResponse<Item<T>>> {
        self.refresh_ttl(&mut work, self.now());
        self.container().create(&work.partition_key(), &work).await
    }

    /// Claims one item, works on it, and writes the result.
    ///
    /// # Errors
    /// Those of the writes. The item is then retried, through the change feed or when its lease expires.
    pub async fn work_on(&self, item: Item<T>) -> Result<WorkResult> {
        self.work_on_due(DueItem { item, exclusive_until: None }).await
    }

    async fn work_on_due(&self, due: DueItem<T>) -> Result<WorkResult> {
        let mut claim = match self.try_claim(due).await? {
            ClaimAttempt::Claimed(claim) => claim,
            ClaimAttempt::NotDue => return Ok(WorkResult::NotDue),
            ClaimAttempt::Taken => return Ok(WorkResult::Taken),
            ClaimAttempt::Dead => return Ok(WorkResult::Dead),
        };
        let outcome = self.inner.worker.work(&mut claim).await;
        let result = self.end(claim, outcome).await?;
        tracing::debug!(queue = %self.container().path(), result = ?result, "work ended");
        Ok(result)
    }

    /// Works on these items: logical partitions concurrently, the items of each in order.
    ///
    /// # Errors
    /// One of the failed writes, after all partitions were tried; a transient one in preference. A transient failure
    /// ends the partition it happened in, because later items must not overtake the one that failed.
    pub(super) async fn work_on_all(&self, items: Vec<DueItem<T>>) -> Result<QueueRun> {
        let mut indexes: HashMap<PartitionKey, usize> = HashMap::new();
        let mut partitions: Vec<Vec<DueItem<T>>> = Vec::new();
        for due in items {
            // A list of lists instead of a map of lists: partitions start in the order in which their first item was
            // found.
            let index = *indexes.entry(due.item.value.partition_key()).or_insert(partitions.len());
            match partitions.get_mut(index) {
                Some(items) => items.push(due),
                None => partitions.push(vec![due]),
            }
        }
        let concurrency = self.inner.settings.concurrency.max(1);
        let mut runs = stream::iter(partitions)
            .map(|items| self.work_in_order(items))
            // Unordered, so that one slow partition does not hold back the next ones.
            .buffer_unordered(concurrency);
        let (mut run, mut failure) = (QueueRun::default(), None);
        while let Some((counts, failed)) = runs.next().await {
            counts.into_iter().for_each(|result| *run.counts.entry(result).or_default() += 1);
            failure = prefer_transient(failure, failed);
        }
        failure.map_or(Ok(run), Err)
    }

    async fn work_in_order(&self, items: Vec<DueItem<T>>) -> (Vec<WorkResult>, Option<Error>) {
        let (mut counts, mut failure) = (Vec::with_capacity(items.len()), None);
        for due in items {
            let id = due.item.value.id().to_owned();
            // Only an attempt without a written claim needs it again.
            let unclaimed = due.exclusive_until.is_some().then(|| due.item.clone());
            match self.work_on_due(due).await {
                Ok(result) => counts.push(result),
                Err(error) => {
                    tracing::warn!(id, error = %error, "the result of an attempt could not be written");
                    let ends_partition = is_transient(&error);
                    if let Some(item) = unclaimed.filter(|_| !ends_partition) {
                        self.claim_unfinished(item).await;
                    }
                    failure = prefer_transient(failure, Some(error));
                    if ends_partition {
                        break;
                    }
                }
            }
        }
        (counts, failure)
    }

    /// Claims an item whose result can never be written. The feed moves on, so that only the end of a lease brings the
    /// item back, which counts as an attempt.
    async fn claim_unfinished(&self, item: Item<T>) {
        let id = item.value.id().to_owned();
        if let Err(error) = self.try_claim(DueItem { item, exclusive_until: None }).await {
            tracing::error!(id, error = %error, "an item without a result could not be claimed");
        }
    }

    /// Items whose attempts are used up, page by page.
    ///
    /// # Errors
    /// Those of [`Container::query_page`].
    pub async fn dead(&self, page: QueryPageOptions) -> Result<AccountResponse<Page<Item<T>>>> {
        self.container().query_page(&T::dead(self.inner.settings.attempts_max), page).await
    }

    /// Resets a failed item, dead or not, to waiting with no attempt counted. The change feed delivers it again.
    ///
    /// # Errors
    /// Those of [`Container::modify`].
    pub async fn replay(&self, partition_key: &PartitionKey, id: &str) -> Result<ReplayResult<T>> {
        let mut has_failed = false;
        let change = |work: &mut T| {
            let state = work.state();
            has_failed = matches!(state.stage, WorkStage::Dead | WorkStage::Failed { .. });
            if has_failed {
                // The last error stays visible until the next attempt.
                work.set_state(WorkState { error: state.error, ..WorkState::new() });
                self.refresh_ttl(work, self.now());
            }
            Ok::<(), Error>(())
        };
        match self.container().modify(partition_key, id, change).await {
            Ok(answer) if has_failed => Ok(ReplayResult::Replayed(answer)),
            Ok(answer) => Ok(ReplayResult::NotFailed(answer.value)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(ReplayResult::Missing),
            Err(error) => Err(error),
        }
    }

    /// The reaction for a change feed processor of the container, so that new items are processed as they are written.
    #[must_use]
    pub fn reaction(&self) -> QueueReaction<T> {
        QueueReaction::new(self.clone())
    }

    /// Sets the `ttl` of an item that is written now.
    pub(super) fn refresh_ttl(&self, work: &mut T, now: UtcTimestamp) {
        match self.worker().expires_at(work, now) {
            None => refresh_ttl(work, now),
            Some(at) => {
                let seconds = Some(ttl_seconds(at, now));
                if let Some(Expiry { ttl, .. }) = work.expiry() {
                    *ttl = seconds.filter(|_| seconds != self.settings().default_ttl_seconds);
                }
            }
        }
    }
}

impl<T> WorkQueue<T> {
    /// The container of the items.
    #[must_use]
    pub fn container(&self) -> &Container {
        &self.inner.container
    }

    pub(super) fn settings(&self) -> &QueueSettings {
        &self.inner.settings
    }

    pub(super) fn worker(&self) -> &dyn Worker<T> {
        &*self.inner.worker
    }

    pub(super) fn now(&self) -> UtcTimestamp {
        UtcTimestamp::now(self.inner.container.account().environment())
    }

    pub(super) fn random(&self) -> u64 {
        self.inner.container.account().environment().random()
    }

    /// A name for one claim. It is random, so that two claims of the same instance at the same time differ.
    pub(super) fn new_owner(&self) -> String {
        format!("{}.{:016x}", self.inner.settings.instance, self.random())
    }
}

impl QueueRun {
    /// The number of items with this result.
    #[must_use]
    pub fn count(&self, result: WorkResult) -> u64 {
        self.counts.get(&result).copied().unwrap_or_default()
    }
}

/// Whether the same write may succeed later, when the database can be reached again.
pub(super) fn is_transient(error: &Error) -> bool {
    let kind = error.kind();
    matches!(kind, ErrorKind::Unavailable | ErrorKind::Unauthorized | ErrorKind::Throttled { .. })
}

/// The first of two failures, or the second if only that one is transient.
fn prefer_transient(first: Option<Error>, second: Option<Error>) -> Option<Error> {
    match (first, second) {
        (Some(first), Some(second)) if !is_transient(&first) && is_transient(&second) => {
            Some(second)
        }
        (first, second) => first.or(second),
    }
}

impl<T> Clone for WorkQueue<T> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<T> fmt::Debug for WorkQueue<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "WorkQueue({})", self.inner.container.path())
    }
}
