//! The writer of one physical partition: one turn at a time, many transactions per commit.
//!
//! Owns the queue, the group and the publication of lsn and counters. While one group is on its way to the disk the
//! next one gathers; that is how waiting callers share a sync. Does not own what a transaction writes.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use model::Lsn;
use storage::{Guard, StorageKey, StorageValue, Store, WriteSet};
use tokio::sync::{mpsc, oneshot};

use super::hold::{Hold, Touched};
use super::map::gone;
use super::work::{Work, WorkAnswer, WorkFailure, run};
use super::{PartitionIdentity, PartitionState, Published};
use crate::catalog::{ContainerIdentity, ContainerLive, Live};
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::item::{Halt, Prepared, Turn, TurnContext};
use crate::key_layout::{STATE, STATE_KEY};
use crate::settings::Settings;

/// How often a group is rebuilt when another process has written to the partition.
const GUARD_RETRIES_MAX: usize = 16;

type Answer = oneshot::Sender<std::result::Result<(WorkAnswer, Lsn), WorkFailure>>;

/// What arrives in the queue.
pub(crate) enum Request {
    Work { work: Work, answer: Answer },
    Hold { held: oneshot::Sender<Hold> },
}

/// What a writer is started with.
pub(crate) struct WriterSeed {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) environment: Environment,
    pub(crate) settings: Arc<Settings>,
    pub(crate) container: Arc<ContainerIdentity>,
    pub(crate) live: Arc<Live>,
    pub(crate) identity: PartitionIdentity,
}

/// Loads the state of a partition and starts its writer.
pub(crate) async fn start_writer(
    seed: WriterSeed,
) -> Result<(mpsc::Sender<Request>, Arc<Published>)> {
    let published = Arc::new(Published::default());
    let (queue, requests) = mpsc::channel(seed.settings.writer_queue_max);
    let environment = seed.environment.clone();
    let mut writer = Writer {
        seed,
        published: Arc::clone(&published),
        requests,
        touched: Touched::default(),
        state: PartitionState::default(),
        stored_state: None,
        unsure: None,
    };
    writer.load().await?;
    environment.spawn(writer.work());
    Ok((queue, published))
}

struct Writer {
    seed: WriterSeed,
    published: Arc<Published>,
    requests: mpsc::Receiver<Request>,
    touched: Touched,
    state: PartitionState,
    stored_state: Option<StorageValue>,
    /// Items of groups whose commit failed, until the store has been asked what became of them. Before that nothing
    /// may be written: the state in memory may be ahead of the store, or behind it.
    unsure: Option<Vec<StorageKey>>,
}

struct Transaction {
    work: Work,
    answer: Answer,
}

/// Transactions that are committed together.
#[derive(Default)]
struct Group {
    sets: Vec<WriteSet>,
    answers: Vec<(WorkAnswer, Transaction)>,
    touched: HashSet<StorageKey>,
    /// Items of each set.
    touched_items: Vec<Vec<StorageKey>>,
    /// Whether one of the transactions kept no versions of what it replaced or deleted.
    loses_versions: bool,
    /// Transactions that must see this group first.
    deferred: VecDeque<Transaction>,
}

impl Writer {
    async fn work(mut self) {
        loop {
            let Some((transactions, hold)) = self.gather().await else { return };
            if !transactions.is_empty() {
                self.commit(transactions).await;
            }
            if let Some(held) = hold
                && self.stand_still(held).await
            {
                self.refuse_rest().await;
                return;
            }
        }
    }

    /// Waits for work and takes what is there, up to the limits of a group. A hold ends the gathering.
    async fn gather(&mut self) -> Option<(VecDeque<Transaction>, Option<oneshot::Sender<Hold>>)> {
        let mut transactions = VecDeque::new();
        while transactions.len() < self.seed.settings.group_operations_max {
            let request = if transactions.is_empty() {
                self.requests.recv().await?
            } else {
                match self.requests.try_recv() {
                    Ok(request) => request,
                    Err(_) => break,
                }
            };
            match request {
                Request::Work { work, answer } => {
                    transactions.push_back(Transaction { work, answer });
                }
                Request::Hold { held } => return Some((transactions, Some(held))),
            }
        }
        Some((transactions, None))
    }

    /// Runs transactions until none is left, one group after the other.
    async fn commit(&mut self, mut transactions: VecDeque<Transaction>) {
        let mut failures = 0;
        while !transactions.is_empty() {
            if let Err(error) = self.make_sure().await {
                refuse(transactions, &error);
                return;
            }
            let live = self.seed.live.current();
            let mut group = self.prepare(transactions, &live).await;
            transactions = std::mem::take(&mut group.deferred);
            if let Some(retry) = self.finish(group, &mut failures).await {
                transactions = retry.into_iter().chain(transactions).collect();
            }
        }
    }

    async fn prepare(
        &mut self,
        transactions: VecDeque<Transaction>,
        live: &ContainerLive,
    ) -> Group {
        let mut group = Group::default();
        let mut bytes = 0;
        for transaction in transactions {
            if !group.deferred.is_empty() || bytes > self.seed.settings.group_bytes_max {
                group.deferred.push_back(transaction);
                continue;
            }
            let context = TurnContext {
                store: self.seed.store.as_ref(),
                container: &self.seed.container,
                live,
                partition: self.seed.identity,
                now: self.seed.environment.now(),
                touched: &group.touched,
            };
            let mut turn = Turn::new(context, self.state.clone());
            match run(&transaction.work, &mut turn).await {
                Ok(answer) => {
                    let prepared = turn.finish();
                    bytes += set_bytes(&prepared.set);
                    self.take(&mut group, prepared, answer, transaction);
                }
                Err((_, Halt::Deferred)) => group.deferred.push_back(transaction),
                Err((index, Halt::Failed(error))) => {
                    let _ = transaction.answer.send(Err(WorkFailure { index, error }));
                }
            }
        }
        group
    }

    fn take(
        &mut self,
        group: &mut Group,
        prepared: Prepared,
        answer: WorkAnswer,
        transaction: Transaction,
    ) {
        self.state = prepared.state;
        if !prepared.commits {
            let _ = transaction.answer.send(Ok((answer, self.published.lsn())));
            return;
        }
        group.touched.extend(prepared.touched_unique);
        group.touched.extend(prepared.touched_items.iter().cloned());
        group.touched_items.push(prepared.touched_items);
        group.loses_versions |= prepared.loses_versions;
        group.sets.push(prepared.set);
        group.answers.push((answer, transaction));
    }

    /// Commits a group and answers its callers. Returns the transactions to run again after another process has
    /// written to this partition.
    async fn finish(&mut self, mut group: Group, failures: &mut usize) -> Option<Vec<Transaction>> {
        self.add_state(&mut group)?;
        match self.seed.store.commit(self.seed.identity.shard, group.sets).await {
            Ok(stamps) => {
                let newest = stamps.last().map_or(self.published.lsn(), |stamp| Lsn(stamp.0));
                if group.loses_versions {
                    self.state.trimmed = newest;
                }
                self.stored_state = Some(self.state.encode().into());
                self.published.publish(newest, &self.state);
                self.touched.remember(&group.touched_items, &stamps);
                for ((answer, transaction), stamp) in group.answers.into_iter().zip(stamps) {
                    let _ = transaction.answer.send(Ok((answer, Lsn(stamp.0))));
                }
                None
            }
            Err(error) => {
                let is_guard = matches!(error.kind(), storage::ErrorKind::GuardFailed { .. });
                *failures += 1;
                self.unsure
                    .get_or_insert_default()
                    .extend(group.touched_items.into_iter().flatten());
                let transactions = group.answers.into_iter().map(|(_, transaction)| transaction);
                if is_guard && *failures < GUARD_RETRIES_MAX {
                    return Some(transactions.collect());
                }
                refuse(transactions.collect(), &Error::from(error));
                // A failure here is met again by the next transaction, which must not run before it is over.
                let _ = self.make_sure().await;
                None
            }
        }
    }

    /// The last set carries the new state, the first one the guard on the old; none when there is nothing to commit.
    fn add_state(&self, group: &mut Group) -> Option<()> {
        let guard = match &self.stored_state {
            Some(stored) => Guard::Unchanged(stored.clone()),
            None => Guard::Absent,
        };
        group.sets.first_mut()?.guard(STATE, STATE_KEY, guard);
        // A position before versions that were not kept must be refused, and only the store knows their lsn.
        let trimmed_at = group.loses_versions.then_some(PartitionState::TRIMMED_AT);
        let state = self.state.encode();
        group.sets.last_mut()?.put_stamped(STATE, STATE_KEY, state, None, trimmed_at);
        Some(())
    }

    /// Asks the store what became of a group whose commit failed.
    async fn make_sure(&mut self) -> Result<()> {
        if self.unsure.is_none() {
            return Ok(());
        }
        let before = self.published.lsn();
        self.load().await?;
        let items = self.unsure.take().unwrap_or_default();
        self.touched.remember_unsure(&items, before, self.published.lsn());
        Ok(())
    }

    /// Reads the state anew: at the start, and whenever it is unknown whether a commit arrived.
    async fn load(&mut self) -> Result<()> {
        let shard = self.seed.identity.shard;
        let stored = self.seed.store.get(shard, STATE, STATE_KEY).await?;
        self.state = match &stored {
            Some(stored) => PartitionState::decode(stored)?,
            None => PartitionState::default(),
        };
        self.stored_state = stored;
        let stamp = self.seed.store.last_stamp(shard).await?;
        self.published.publish(Lsn(stamp.0), &self.state);
        Ok(())
    }

    /// Waits until the hold is dropped (false) or the partition is retired (true).
    async fn stand_still(&mut self, held: oneshot::Sender<Hold>) -> bool {
        let is_certain = self.make_sure().await.is_ok();
        let (hold, ended) = Hold::new(is_certain, self.touched.clone());
        if held.send(hold).is_err() {
            return false;
        }
        ended.await.is_ok()
    }

    /// Waits for those who are just entering the queue; who comes later finds it closed.
    async fn refuse_rest(&mut self) {
        self.requests.close();
        while let Some(request) = self.requests.recv().await {
            if let Request::Work { answer, .. } = request {
                let _ = answer.send(Err(gone(self.seed.identity.number).into()));
            }
        }
    }
}

fn refuse(transactions: VecDeque<Transaction>, error: &Error) {
    for transaction in transactions {
        let _ = transaction.answer.send(Err(error.repeat().into()));
    }
}

fn set_bytes(set: &WriteSet) -> usize {
    set.writes
        .iter()
        .map(|write| match write {
            storage::Write::Put { key, value, .. } => key.len() + value.len(),
            storage::Write::Remove { key, .. } => key.len(),
        })
        .sum()
}
