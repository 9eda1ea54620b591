//! The writer of one physical partition: one turn at a time, many transactions per commit.
//!
//! Owns the queue, the group and the publication of lsn and counters. While one group is on its way to the disk the
//! next one gathers; that is how waiting callers share a sync. Does not own what a transaction writes.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use model::Lsn;
use storage::{Guard, Stamp, StorageKey, StorageValue, Store, WriteSet};
use tokio::sync::{mpsc, oneshot};

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

/// The writer stands still while this is alive. Dropping it lets the writer go on.
pub(crate) struct Hold {
    end: Option<oneshot::Sender<Retire>>,
    /// What the writer touches, once somebody asks it to remember.
    pub(crate) touched: Touched,
}

struct Retire;

impl Hold {
    /// The writer never writes again: everything queued is told that the partition is gone.
    pub(crate) fn retire(mut self) {
        if let Some(end) = self.end.take() {
            // The writer is gone when the engine closes at the same time; then nothing is queued either.
            let _ = end.send(Retire);
        }
    }
}

/// Items with the lsns at which they were touched.
pub(crate) type TouchedItems = BTreeMap<StorageKey, BTreeSet<Lsn>>;

/// The memory of a writer while its partition is copied.
#[derive(Clone, Default)]
pub(crate) struct Touched(Arc<Mutex<Option<TouchedItems>>>);

impl Touched {
    /// From now on the writer remembers which items it touches.
    pub(crate) fn start(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(TouchedItems::new());
    }

    /// Items touched since they are remembered; begins anew.
    pub(crate) fn take(&self) -> TouchedItems {
        let mut touched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        touched.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Stops remembering.
    pub(crate) fn stop(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn remember(&self, sets: &[Vec<StorageKey>], stamps: &[Stamp]) {
        let mut touched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(touched) = touched.as_mut() else { return };
        for (keys, stamp) in sets.iter().zip(stamps) {
            for key in keys {
                touched.entry(key.clone()).or_default().insert(Lsn(stamp.0));
            }
        }
    }
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
        carried: VecDeque::new(),
        touched: Touched::default(),
        state: PartitionState::default(),
        stored_state: None,
    };
    writer.load().await?;
    environment.spawn(writer.work());
    Ok((queue, published))
}

struct Writer {
    seed: WriterSeed,
    published: Arc<Published>,
    requests: mpsc::Receiver<Request>,
    carried: VecDeque<Transaction>,
    touched: Touched,
    state: PartitionState,
    stored_state: Option<StorageValue>,
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
    /// Transactions that must see this group first.
    deferred: VecDeque<Transaction>,
}

impl Writer {
    async fn work(mut self) {
        loop {
            let (transactions, hold) = match self.gather().await {
                Some(gathered) => gathered,
                None => return,
            };
            if !transactions.is_empty() {
                self.commit(transactions).await;
            }
            if let Some(held) = hold
                && self.stand_still(held).await
            {
                self.refuse_rest();
                return;
            }
        }
    }

    /// Waits for work and takes what is there, up to the limits of a group. A hold ends the gathering.
    async fn gather(&mut self) -> Option<(VecDeque<Transaction>, Option<oneshot::Sender<Hold>>)> {
        let mut transactions = std::mem::take(&mut self.carried);
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
            self.published.publish(self.published.lsn(), &self.state);
            let _ = transaction.answer.send(Ok((answer, self.published.lsn())));
            return;
        }
        group.touched.extend(prepared.touched_unique);
        group.touched.extend(prepared.touched_items.iter().cloned());
        group.touched_items.push(prepared.touched_items);
        group.sets.push(prepared.set);
        group.answers.push((answer, transaction));
    }

    /// Commits a group and answers its callers. Returns the transactions to run again after another process has
    /// written to this partition.
    async fn finish(&mut self, mut group: Group, failures: &mut usize) -> Option<Vec<Transaction>> {
        let state = StorageValue::from(self.state.encode());
        self.add_state(&mut group, &state)?;
        match self.seed.store.commit(self.seed.identity.shard, group.sets).await {
            Ok(stamps) => {
                self.stored_state = Some(state);
                let newest = stamps.last().map_or(self.published.lsn(), |stamp| Lsn(stamp.0));
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
                let reloaded = self.load().await;
                let transactions = group.answers.into_iter().map(|(_, transaction)| transaction);
                if is_guard && *failures < GUARD_RETRIES_MAX && reloaded.is_ok() {
                    return Some(transactions.collect());
                }
                let error = Error::from(error);
                for transaction in transactions {
                    let _ = transaction.answer.send(Err(error.repeat().into()));
                }
                None
            }
        }
    }

    /// The last set carries the new state, the first one the guard on the old; none when there is nothing to commit.
    fn add_state(&self, group: &mut Group, state: &StorageValue) -> Option<()> {
        let guard = match &self.stored_state {
            Some(stored) => Guard::Unchanged(stored.clone()),
            None => Guard::Absent,
        };
        group.sets.first_mut()?.guard(STATE, STATE_KEY, guard);
        group.sets.last_mut()?.put(STATE, STATE_KEY, state.clone());
        Some(())
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
        let (end, ended) = oneshot::channel();
        let hold = Hold { end: Some(end), touched: self.touched.clone() };
        if held.send(hold).is_err() {
            return false;
        }
        ended.await.is_ok()
    }

    fn refuse_rest(&mut self) {
        self.requests.close();
        while let Ok(request) = self.requests.try_recv() {
            if let Request::Work { answer, .. } = request {
                let _ = answer.send(Err(gone(self.seed.identity.number).into()));
            }
        }
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
