//! The queue as a value: enqueue, work on what is due, list what is dead, replay it.
//!
//! Owns the way of one work from found to ended. Does not own a timer: a job calls [`Queue::run_due`].

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use client::{Answer, Container, ErrorKind, Item, Page, PageOptions, PartitionKey, Query, Result};
use futures::{StreamExt, stream};
use serde::de::IgnoredAny;

use super::claim::Claiming;
use super::reaction::QueueReaction;
use super::worker::Worker;
use super::{Backoff, Moment, Stage, State, Work, refresh_ttl};

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
    /// The claim was lost meanwhile, or the item is gone.
    Lost,
}

/// What one run did, by what became of the works.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    counts: BTreeMap<Worked, u64>,
}

/// What became of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// It waits again, with no attempt counted.
    Replayed,
    /// It is not dead.
    NotDead,
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
    pub async fn enqueue(&self, mut work: T) -> Result<Answer<Item<T>>> {
        refresh_ttl(&mut work, Moment::now(self.container().account().environment()));
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

    /// Works on what is due now: retries whose time has come, claims whose lease ended, and what the feed missed.
    ///
    /// # Errors
    /// Those of the query; the first failed write, after all others were tried.
    pub async fn run_due(&self) -> Result<Run> {
        self.run(&T::due(Moment::now(self.container().account().environment()))).await
    }

    /// Works on what a query finds, such as the due works of one logical partition. It gives whole items.
    ///
    /// # Errors
    /// Those of [`Queue::run_due`].
    pub async fn run(&self, query: &Query) -> Result<Run> {
        let mut partitions: Vec<(PartitionKey, Vec<Item<T>>)> = Vec::new();
        for item in self.page(query).await? {
            let key = item.value.partition_key();
            match partitions.iter_mut().find(|(other, _)| *other == key) {
                Some((_, items)) => items.push(item),
                None => partitions.push((key, vec![item])),
            }
        }
        let concurrency = self.inner.settings.concurrency.max(1);
        let worked = stream::iter(partitions)
            .map(|(_, items)| async move {
                let mut worked = Vec::with_capacity(items.len());
                for item in items {
                    worked.push(self.work_on(item).await);
                }
                stream::iter(worked)
            })
            .buffer_unordered(concurrency)
            .flatten();
        counted(worked.collect::<Vec<_>>().await)
    }

    /// Work whose attempts are spent, page by page.
    ///
    /// # Errors
    /// Those of [`Container::query_page`].
    pub async fn dead(&self, page: PageOptions) -> Result<Page<Item<T>>> {
        Ok(self.container().query_page(&T::dead(), page).await?.value)
    }

    /// Lets dead work wait again, with no attempt counted. The change feed sees it.
    ///
    /// # Errors
    /// Those of [`Container::modify`].
    pub async fn replay(&self, partition_key: &PartitionKey, id: &str) -> Result<Replay> {
        let mut replay = Replay::NotDead;
        let change = |work: &mut T| {
            replay = Replay::NotDead;
            let state = work.state();
            if state.stage == Stage::Dead {
                work.set_state(State { error: state.error, ..State::fresh() });
                refresh_ttl(work, Moment::now(self.container().account().environment()));
                replay = Replay::Replayed;
            }
            Ok::<(), client::Error>(())
        };
        match self.container().modify(partition_key, id, change).await {
            Ok(_) => Ok(replay),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Replay::Missing),
            Err(error) => Err(error),
        }
    }

    /// What a processor of the container calls with its changes, so that fresh work is done as it is written.
    #[must_use]
    pub fn reaction(&self) -> QueueReaction<T> {
        QueueReaction::new(self.clone())
    }

    /// Rows of a query up to the size of a run; a page may be empty and not the last. An item that is no work of this
    /// kind is told and passed over: it must not stop the others.
    async fn page(&self, query: &Query) -> Result<Vec<Item<T>>> {
        let rows_max = Some(self.inner.settings.batch_items_max.max(1));
        let mut options = PageOptions { rows_max, ..PageOptions::default() };
        loop {
            let page = self.container().query_page::<Item<IgnoredAny>>(query, options).await?.value;
            let works: Vec<Item<T>> = page.rows.iter().filter_map(typed_or_told).collect();
            if !works.is_empty() || page.continuation.is_none() {
                return Ok(works);
            }
            options =
                PageOptions { rows_max, continuation: page.continuation, session_token: None };
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

    /// A name for one claim: different also for two of the same instance at the same time.
    pub(super) fn new_owner(&self) -> String {
        let random = self.inner.container.account().environment().random();
        format!("{}.{random:016x}", self.inner.settings.instance)
    }
}

impl Run {
    /// How many works came to this.
    #[must_use]
    pub fn count(&self, worked: Worked) -> u64 {
        self.counts.get(&worked).copied().unwrap_or_default()
    }
}

fn typed_or_told<T: Work>(item: &Item<IgnoredAny>) -> Option<Item<T>> {
    let typed = item.typed();
    if let Err(error) = &typed {
        tracing::error!(error = %error, "an item among due work is none");
    }
    typed.ok()
}

fn counted(worked: Vec<Result<Worked>>) -> Result<Run> {
    let mut run = Run::default();
    let mut first_error = None;
    for worked in worked {
        match worked {
            Ok(worked) => *run.counts.entry(worked).or_default() += 1,
            Err(error) => {
                tracing::warn!(error = %error, "work could not be written");
                first_error.get_or_insert(error);
            }
        }
    }
    first_error.map_or(Ok(run), Err)
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
