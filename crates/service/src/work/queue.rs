//! The queue as a value: enqueue, work on what is found, list what is dead, replay it.
//!
//! Owns the way of works from found to ended: logical partitions side by side, each one's in order. Does not own what
//! finds them: the change feed (`reaction`) and a timer (`due`).

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use client::{
    AccountResponse, Container, Error, ErrorKind, Item, Page, PartitionKey, QueryPageOptions,
    Result,
};
use futures::{StreamExt, stream};

use super::claim::Claiming;
use super::reaction::QueueReaction;
use super::worker::Worker;
use super::{Backoff, Expiry, Moment, Stage, State, Work, refresh_ttl, ttl_seconds};

/// Work kept as items of a container. Cloning shares it.
pub struct Queue<T> {
    inner: Arc<Inner<T>>,
}

struct Inner<T> {
    container: Container,
    settings: QueueSettings,
    worker: Box<dyn Worker<T>>,
}

/// What the operator chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueSettings {
    /// Name of this instance, for whoever reads who has a claim.
    pub instance: String,
    /// How long after it was taken or renewed a claim is free for others. Clocks of instances are compared: it must be
    /// much longer than they differ.
    pub lease: Duration,
    /// Failed attempts after which work is dead.
    pub attempts_max: u32,
    /// Waits between attempts.
    pub backoff: Backoff,
    /// Works of one run at most.
    pub batch_items_max: usize,
    /// Logical partitions worked on side by side; the works of one are always done one after the other.
    pub concurrency: usize,
    /// The default time to live of the container, if the worker counts by it: work that is to live so long from its
    /// write does not say so itself, which saves what an indexed property costs.
    pub default_ttl_seconds: Option<u32>,
}

/// What became of one work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worked {
    /// It is done, not due, or claimed by somebody else.
    NotDue,
    /// Somebody else wrote it first.
    Taken,
    /// It was done.
    Done,
    /// It is to be done later, and nothing failed.
    Postponed,
    /// It failed and will be tried again.
    Again,
    /// Its attempts are spent.
    Dead,
    /// The claim was lost meanwhile.
    Lost,
    /// The item was deleted meanwhile, for example because its subject was erased.
    Gone,
}

/// What one run did, by what became of the works.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    counts: BTreeMap<Worked, u64>,
}

/// What became of a replay.
#[derive(Clone, Debug)]
pub enum Replay<T> {
    /// It waits again, with no attempt counted.
    Replayed(AccountResponse<Item<T>>),
    /// It has not failed. This is the work.
    NotFailed(Item<T>),
    /// There is no such work.
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

impl<T: Work> Queue<T> {
    /// The queue in this container, whose works are done by this worker.
    #[must_use]
    pub fn new(
        container: &Container,
        settings: QueueSettings,
        worker: impl Worker<T> + 'static,
    ) -> Self {
        let (container, worker) = (container.clone(), Box::new(worker));
        Self { inner: Arc::new(Inner { container, settings, worker }) }
    }

    /// Creates work.
    ///
    /// # Errors
    /// Those of [`Container::create`]: `Conflict` when there is work of this id already.
    pub async fn enqueue(&self, mut work: T) -> Result<AccountResponse<Item<T>>> {
        self.refresh_ttl(&mut work, self.now());
        self.container().create(&work.partition_key(), &work).await
    }

    /// Claims one work, does it, and writes how it ended.
    ///
    /// # Errors
    /// Those of the writes. The work is then taken up again, by the change feed or when its lease ended.
    pub async fn work_on(&self, item: Item<T>) -> Result<Worked> {
        let mut claim = match self.try_claim(item).await? {
            Claiming::Claimed(claim) => claim,
            Claiming::NotDue => return Ok(Worked::NotDue),
            Claiming::Taken => return Ok(Worked::Taken),
            Claiming::Dead => return Ok(Worked::Dead),
        };
        let outcome = self.inner.worker.work(&mut claim).await;
        let worked = self.end(claim, outcome).await?;
        tracing::debug!(queue = %self.container().path(), worked = ?worked, "work ended");
        Ok(worked)
    }

    /// Works on all of these: logical partitions side by side, each one's works in their order.
    ///
    /// # Errors
    /// One of the writes that failed, after all others were tried; one that may succeed later rather than another, and
    /// that one ends the work on its partition.
    pub(super) async fn work_on_all(&self, items: Vec<Item<T>>) -> Result<Run> {
        let mut places: HashMap<PartitionKey, usize> = HashMap::new();
        let mut partitions: Vec<Vec<Item<T>>> = Vec::new();
        for item in items {
            let place = *places.entry(item.value.partition_key()).or_insert(partitions.len());
            match partitions.get_mut(place) {
                Some(works) => works.push(item),
                None => partitions.push(vec![item]),
            }
        }
        let concurrency = self.inner.settings.concurrency.max(1);
        let mut runs = stream::iter(partitions)
            .map(|works| self.work_in_order(works))
            .buffer_unordered(concurrency);
        let (mut run, mut failure) = (Run::default(), None);
        while let Some((counts, failed)) = runs.next().await {
            counts.into_iter().for_each(|worked| *run.counts.entry(worked).or_default() += 1);
            failure = graver(failure, failed);
        }
        failure.map_or(Ok(run), Err)
    }

    async fn work_in_order(&self, items: Vec<Item<T>>) -> (Vec<Worked>, Option<Error>) {
        let (mut counts, mut failure) = (Vec::with_capacity(items.len()), None);
        for item in items {
            let id = item.value.id().to_owned();
            match self.work_on(item).await {
                Ok(worked) => counts.push(worked),
                Err(error) => {
                    tracing::warn!(id, error = %error, "work could not be written");
                    let ends_here = may_pass(&error);
                    failure = graver(failure, Some(error));
                    if ends_here {
                        break;
                    }
                }
            }
        }
        (counts, failure)
    }

    /// Work whose attempts are spent, page by page.
    ///
    /// # Errors
    /// Those of [`Container::query_page`].
    pub async fn dead(&self, page: QueryPageOptions) -> Result<AccountResponse<Page<Item<T>>>> {
        self.container().query_page(&T::dead(self.inner.settings.attempts_max), page).await
    }

    /// Lets failed work, dead or not, wait again, with no attempt counted. The change feed sees it.
    ///
    /// # Errors
    /// Those of [`Container::modify`].
    pub async fn replay(&self, partition_key: &PartitionKey, id: &str) -> Result<Replay<T>> {
        let mut has_failed = false;
        let change = |work: &mut T| {
            let state = work.state();
            has_failed = matches!(state.stage, Stage::Dead | Stage::Failed { .. });
            if has_failed {
                work.set_state(State { error: state.error, ..State::fresh() });
                self.refresh_ttl(work, self.now());
            }
            Ok::<(), Error>(())
        };
        match self.container().modify(partition_key, id, change).await {
            Ok(answer) if has_failed => Ok(Replay::Replayed(answer)),
            Ok(answer) => Ok(Replay::NotFailed(answer.value)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Replay::Missing),
            Err(error) => Err(error),
        }
    }

    /// What a processor of the container calls with its changes, so that fresh work is done as it is written.
    #[must_use]
    pub fn reaction(&self) -> QueueReaction<T> {
        QueueReaction::new(self.clone())
    }

    /// Sets the `ttl` of work that is written now.
    pub(super) fn refresh_ttl(&self, work: &mut T, now: Moment) {
        match self.worker().ends_at(work, now) {
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

impl<T> Queue<T> {
    /// The container the works live in.
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

    pub(super) fn now(&self) -> Moment {
        Moment::now(self.inner.container.account().environment())
    }

    pub(super) fn random(&self) -> u64 {
        self.inner.container.account().environment().random()
    }

    /// A name for one claim: different also for two of the same instance at the same time.
    pub(super) fn new_owner(&self) -> String {
        format!("{}.{:016x}", self.inner.settings.instance, self.random())
    }
}

impl Run {
    /// How many works came to this.
    #[must_use]
    pub fn count(&self, worked: Worked) -> u64 {
        self.counts.get(&worked).copied().unwrap_or_default()
    }
}

/// Whether the same write may succeed later, when the data can be reached again.
pub(super) fn may_pass(error: &Error) -> bool {
    let kind = error.kind();
    matches!(kind, ErrorKind::Unavailable | ErrorKind::Unauthorized | ErrorKind::Throttled { .. })
}

/// The first of two failures, or the second if only that may pass.
fn graver(first: Option<Error>, second: Option<Error>) -> Option<Error> {
    match (first, second) {
        (Some(first), Some(second)) if !may_pass(&first) && may_pass(&second) => Some(second),
        (first, second) => first.or(second),
    }
}

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<T> fmt::Debug for Queue<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Queue({})", self.inner.container.path())
    }
}
