//! The writer of one physical partition: one turn at a time, many transactions per commit.
//!
//! Owns the queue, the group and the publication of lsn and counters. While one group is on its way to the disk the
//! next one gathers and is prepared; that is how waiting callers share a sync. A transaction never builds on what is
//! on its way: it waits if it needs a key that is. Does not own what a transaction writes.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use model::Lsn;
use storage::{Guard, Stamp, StorageKey, StorageValue, Store, WriteSet};
use tokio::sync::{mpsc, oneshot};

use super::hold::{Hold, Touched};
use super::map::gone;
use super::work::{Work, WorkAnswer, WorkFailure, run};
use super::{PartitionIdentity, PartitionState, Published};
use crate::catalog::{ContainerIdentity, Live};
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::item::{Halt, Prepared, Turn, TurnContext, Unseen};
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
        waiting: VecDeque::new(),
        held: None,
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
    /// Transactions taken from the queue, or to run again, before those still in it.
    waiting: VecDeque<Transaction>,
    /// Who wants the writer to stand still; until then nothing more is taken from the queue.
    held: Option<oneshot::Sender<Hold>>,
    touched: Touched,
    /// As of the transaction prepared last.
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
    bytes: usize,
    /// Whether a transaction must see this group, or the one before it, in the store first.
    is_ended: bool,
}

impl Writer {
    async fn work(mut self) {
        loop {
            if self.waiting.is_empty() && self.held.is_none() {
                let Some(request) = self.requests.recv().await else { return };
                self.accept(request);
            }
            self.commit_waiting().await;
            if let Some(held) = self.held.take()
                && self.stand_still(held).await
            {
                self.refuse_rest().await;
                return;
            }
        }
    }

    fn accept(&mut self, request: Request) {
        match request {
            Request::Work { work, answer } => {
                self.waiting.push_back(Transaction { work, answer });
            }
            Request::Hold { held } => self.held = Some(held),
        }
    }

    /// Runs transactions until none is left, one group after the other.
    async fn commit_waiting(&mut self) {
        let none = HashSet::new();
        let mut failures = 0;
        let mut group = Group::default();
        loop {
            if let Err(error) = self.make_sure().await {
                refuse(std::mem::take(&mut self.waiting), &error);
                return;
            }
            // Nothing is on its way now: what had to wait for that goes on.
            group.is_ended = false;
            while self.has_room(&group) {
                if self.waiting.is_empty() && self.held.is_none() {
                    self.requests.try_recv().into_iter().for_each(|request| self.accept(request));
                }
                let Some(transaction) = self.waiting.pop_front() else { break };
                self.prepare(&mut group, transaction, &none).await;
            }
            if group.sets.is_empty() {
                return;
            }
            group = self.commit(group, &mut failures).await;
        }
    }

    fn has_room(&self, group: &Group) -> bool {
        let settings = &self.seed.settings;
        !group.is_ended
            && group.sets.len() < settings.group_operations_max
            && group.bytes <= settings.group_bytes_max
    }

    /// Runs one transaction and adds it to a group, while another one may be on its way.
    async fn prepare(
        &mut self,
        group: &mut Group,
        transaction: Transaction,
        on_their_way: &HashSet<StorageKey>,
    ) {
        let live = self.seed.live.current();
        let context = TurnContext {
            store: self.seed.store.as_ref(),
            container: &self.seed.container,
            live: &live,
            partition: self.seed.identity,
            now: self.seed.environment.now(),
            unseen: Unseen { in_group: &group.touched, on_their_way },
        };
        let mut turn = Turn::new(context, self.state.clone());
        match run(&transaction.work, &mut turn).await {
            Ok(answer) => {
                let prepared = turn.finish();
                group.bytes += set_bytes(&prepared.set);
                self.take(group, prepared, answer, transaction);
            }
            Err((_, Halt::Deferred)) => {
                self.waiting.push_front(transaction);
                group.is_ended = true;
            }
            Err((index, Halt::Failed(error))) => {
                let _ = transaction.answer.send(Err(WorkFailure { index, error }));
            }
        }
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

    /// Commits a group and answers its callers; returns the group that was prepared meanwhile. When another process
    /// has written to this partition, or nobody knows, all of that is run again.
    async fn commit(&mut self, mut group: Group, failures: &mut usize) -> Group {
        let mut state = self.state.clone();
        self.add_state(&mut group, &state);
        let sets = std::mem::take(&mut group.sets);
        let mut next = Group::default();
        match self.commit_beside(sets, &group.touched, &mut next).await {
            Ok(stamps) => {
                *failures = 0;
                let newest = stamps.last().map_or(self.published.lsn(), |stamp| Lsn(stamp.0));
                if group.loses_versions {
                    state.trimmed.lsn = newest;
                    self.state.trimmed.lsn = newest;
                }
                self.stored_state = Some(state.encode().into());
                self.published.publish(newest, &state);
                self.touched.remember(&group.touched_items, &stamps);
                for ((answer, transaction), stamp) in group.answers.into_iter().zip(stamps) {
                    let _ = transaction.answer.send(Ok((answer, Lsn(stamp.0))));
                }
                next
            }
            Err(error) => {
                let is_guard = matches!(error.kind(), storage::ErrorKind::GuardFailed { .. });
                *failures += 1;
                self.unsure
                    .get_or_insert_default()
                    .extend(group.touched_items.into_iter().flatten());
                // What was prepared meanwhile counts on a state that may never have been stored.
                self.run_again(next.answers);
                if is_guard && *failures < GUARD_RETRIES_MAX {
                    self.run_again(group.answers);
                } else {
                    let refused = group.answers.into_iter().map(|(_, transaction)| transaction);
                    refuse(refused.collect(), &Error::from(error));
                }
                Group::default()
            }
        }
    }

    /// Waits for a commit and prepares what arrives meanwhile.
    async fn commit_beside(
        &mut self,
        sets: Vec<WriteSet>,
        on_their_way: &HashSet<StorageKey>,
        next: &mut Group,
    ) -> storage::Result<Vec<Stamp>> {
        let store = Arc::clone(&self.seed.store);
        let mut commit = store.commit(self.seed.identity.shard, sets);
        let mut is_open = true;
        loop {
            let has_room = self.has_room(next);
            let takes = has_room && is_open && self.waiting.is_empty() && self.held.is_none();
            // The commit comes first: it does nothing until it is asked.
            tokio::select! {
                biased;
                committed = &mut commit => return committed,
                request = self.requests.recv(), if takes => match request {
                    Some(request) => self.accept(request),
                    None => is_open = false,
                },
                () = std::future::ready(()), if has_room && !self.waiting.is_empty() => {}
            }
            if has_room && let Some(transaction) = self.waiting.pop_front() {
                self.prepare(next, transaction, on_their_way).await;
            }
        }
    }

    /// Puts transactions back in front of those that wait, in their order.
    fn run_again(&mut self, answers: Vec<(WorkAnswer, Transaction)>) {
        for (_, transaction) in answers.into_iter().rev() {
            self.waiting.push_front(transaction);
        }
    }

    /// The last set carries the new state, the first one the guard on the old.
    fn add_state(&self, group: &mut Group, state: &PartitionState) {
        let guard = match &self.stored_state {
            Some(stored) => Guard::Unchanged(stored.clone()),
            None => Guard::Absent,
        };
        if let Some(first) = group.sets.first_mut() {
            first.guard(STATE, STATE_KEY, guard);
        }
        // A position before versions that were not kept must be refused, and only the store knows their lsn.
        let trimmed_at = group.loses_versions.then_some(PartitionState::TRIMMED_AT);
        if let Some(last) = group.sets.last_mut() {
            last.put_stamped(STATE, STATE_KEY, state.encode(), None, trimmed_at);
        }
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
