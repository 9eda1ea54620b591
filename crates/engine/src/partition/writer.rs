//! The writer of one physical partition: runs transactions one after the other and commits many of them at once.
//!
//! Owns the queue, the group commit and the publication of lsn and counters. While one group is being committed, the
//! transactions of the next one are already run; that is how waiting callers share a sync of the disk.
//!
//! ```text
//! queue ─► run ─► group n+1 ──────────────┐
//!                 group n ─► store.commit ─┴─► publish lsn, respond ─► group n+1 becomes group n
//! ```
//!
//! A transaction never builds on writes that are not durable: if it needs a key of a group that is not committed yet,
//! it is deferred. Does not own what a transaction writes: see [`super::PartitionTransaction`].

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use model::Lsn;
use storage::{Guard, Stamp, StorageKey, StorageValue, Store, WriteSet};
use tokio::sync::{mpsc, oneshot};

use super::commit_group::CommitGroup;
use super::map::{PartitionIdentity, PublishedState};
use super::pause::{WriteTracker, WriterPause};
use super::pending_keys::PendingKeys;
use super::state::PartitionState;
use super::transaction::{
    PreparedTransaction, QueuedTransaction, RunResult, TransactionContext, reject,
};
use crate::container::{ContainerIdentity, CurrentProperties};
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::key_layout::{STATE, STATE_KEY};
use crate::settings::EngineSettings;

/// How often a group is run again when another process has written to the partition.
const GUARD_RETRIES_MAX: usize = 16;

/// What arrives in the queue.
pub(super) enum WriterRequest {
    Run(Box<dyn QueuedTransaction>),
    Pause(oneshot::Sender<WriterPause>),
}

impl WriterRequest {
    /// Answers a request that no writer will take. Dropping the sender of a pause notifies its receiver.
    pub(super) fn retire(self) {
        if let Self::Run(transaction) = self {
            transaction.retire();
        }
    }
}

/// What a writer is started with.
pub(crate) struct WriterContext {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) environment: Environment,
    pub(crate) settings: Arc<EngineSettings>,
    pub(crate) container: Arc<ContainerIdentity>,
    pub(crate) compiled: Arc<CurrentProperties>,
    pub(crate) identity: PartitionIdentity,
}

/// The two sides of a running writer that others use: its queue, and what it publishes.
pub(crate) struct WriterHandle {
    pub(super) queue: mpsc::Sender<WriterRequest>,
    pub(super) published: Arc<PublishedState>,
}

/// Loads the state of a partition and starts its writer.
pub(crate) async fn start_writer(context: WriterContext) -> Result<WriterHandle> {
    let published = Arc::new(PublishedState::default());
    // Bounded: when the store is slower than the callers, they wait in `submit` instead of filling the memory.
    let (queue, requests) = mpsc::channel(context.settings.writer_queue_max);
    let environment = context.environment.clone();
    let mut writer = PartitionWriter {
        context,
        published: Arc::clone(&published),
        requests,
        waiting: VecDeque::new(),
        pause_request: None,
        tracker: WriteTracker::default(),
        state: PartitionState::default(),
        stored_state: None,
        unconfirmed_items: None,
    };
    // The state is loaded before anybody holds the queue, so that no request can meet a writer without a state.
    writer.load().await?;
    environment.spawn(writer.run());
    Ok(WriterHandle { queue, published })
}

struct PartitionWriter {
    context: WriterContext,
    published: Arc<PublishedState>,
    requests: mpsc::Receiver<WriterRequest>,
    /// Transactions taken from the queue, or to be run again; they come before those still in the queue.
    waiting: VecDeque<Box<dyn QueuedTransaction>>,
    /// Somebody wants to pause the writer. Until that has happened, nothing more is taken from the queue: otherwise a
    /// busy queue would postpone the pause forever.
    pause_request: Option<oneshot::Sender<WriterPause>>,
    tracker: WriteTracker,
    /// The state as of the transaction that ran last, which may not be committed yet.
    state: PartitionState,
    /// The state as of the last commit, byte for byte: the guard of the next commit compares it.
    stored_state: Option<StorageValue>,
    /// Items of groups whose commit failed, until the store has been asked what became of them. Before that nothing
    /// may be written: the state in memory may be ahead of the store, or behind it.
    unconfirmed_items: Option<Vec<StorageKey>>,
}

impl PartitionWriter {
    async fn run(mut self) {
        loop {
            if self.waiting.is_empty() && self.pause_request.is_none() {
                // All handles are gone, so that the engine is closing. Nothing is queued and nothing is being
                // committed here.
                let Some(request) = self.requests.recv().await else { return };
                self.accept(request);
            }
            self.commit_waiting().await;
            if let Some(sender) = self.pause_request.take()
                && self.pause(sender).await
            {
                // `waiting` is empty here: `commit_waiting` ends only when it has run or rejected everything.
                self.retire_queue().await;
                return;
            }
        }
    }

    fn accept(&mut self, request: WriterRequest) {
        match request {
            WriterRequest::Run(transaction) => self.waiting.push_back(transaction),
            WriterRequest::Pause(sender) => self.pause_request = Some(sender),
        }
    }

    /// Runs transactions until none is left, one group after the other.
    async fn commit_waiting(&mut self) {
        let no_keys = HashSet::new();
        let mut failures = 0;
        let mut group = CommitGroup::default();
        loop {
            // Before the first transaction runs: it would be prepared on a state that the store may not have.
            if let Err(error) = self.confirm_last_commit().await {
                reject(std::mem::take(&mut self.waiting), &error);
                return;
            }
            // No commit is in progress now, so that a transaction that had to wait for one can run.
            group.is_closed = false;
            while group.has_room(&self.context.settings) {
                if self.waiting.is_empty() && self.pause_request.is_none() {
                    self.requests.try_recv().into_iter().for_each(|request| self.accept(request));
                }
                let Some(transaction) = self.waiting.pop_front() else { break };
                self.prepare(&mut group, transaction, &no_keys).await;
            }
            // Nothing was deferred then either: without a commit in progress and with an empty group, no key is
            // pending.
            if group.sets.is_empty() {
                return;
            }
            group = self.commit(group, &mut failures).await;
        }
    }

    /// Runs one transaction and adds it to a group, possibly while another group is being committed.
    async fn prepare(
        &mut self,
        group: &mut CommitGroup,
        mut transaction: Box<dyn QueuedTransaction>,
        committing: &HashSet<StorageKey>,
    ) {
        // Read for each transaction: a container that was replaced applies to the next transaction, not to half of
        // this one.
        let compiled = self.context.compiled.current();
        let now = self.context.environment.now();
        // One group may be in the store's queue and another one prepared, so their lsns are not published yet.
        let unpublished = 2 * self.context.settings.group_operations_max as u64;
        let newest = Lsn(self.published.lsn().0.saturating_add(unpublished));
        self.state.correct_clock(now.seconds(), newest);
        let context = TransactionContext {
            store: self.context.store.as_ref(),
            container: &self.context.container,
            compiled: &compiled,
            partition: self.context.identity,
            now,
            pending: PendingKeys::new(&group.touched_keys, committing),
            state: self.state.clone(),
            item_bytes_max: self.context.settings.large_item_bytes.saturating_mul(3),
        };
        let run = transaction.run(context).await;
        match run {
            RunResult::Prepared(prepared) => self.add(group, prepared, transaction),
            RunResult::Deferred => {
                self.waiting.push_front(transaction);
                // The transaction went back to the front: transactions of one partition take effect in the order of
                // the queue.
                group.is_closed = true;
            }
            RunResult::Failed => transaction.fail(),
        }
    }

    fn add(
        &mut self,
        group: &mut CommitGroup,
        prepared: PreparedTransaction,
        transaction: Box<dyn QueuedTransaction>,
    ) {
        self.state = prepared.state;
        if !prepared.needs_commit {
            // Nothing was written, so that there is nothing to wait for. It has read only committed keys, hence the
            // published lsn.
            transaction.commit(self.published.lsn());
            return;
        }
        group.count_bytes(&prepared.set);
        group.touched_keys.extend(prepared.touched_unique_keys);
        group.touched_keys.extend(prepared.touched_items.iter().cloned());
        group.touched_items.push(prepared.touched_items);
        group.loses_versions |= prepared.loses_versions;
        group.sets.push(prepared.set);
        group.transactions.push(transaction);
    }

    /// Commits a group and responds to its callers; returns the group that was prepared meanwhile. When another process
    /// has written to this partition, all of them run again.
    async fn commit(&mut self, mut group: CommitGroup, failures: &mut usize) -> CommitGroup {
        // The state as of this group. `self.state` moves on while the next group is prepared below.
        let mut state = self.state.clone();
        self.add_state(&mut group, &state);
        // Only the sets go to the store. The keys stay: until the commit has ended, the next group must not read them.
        let sets = std::mem::take(&mut group.sets);
        let mut next = CommitGroup::default();
        match self.commit_and_prepare(sets, &group.touched_keys, &mut next).await {
            Ok(stamps) => {
                *failures = 0;
                let newest = stamps.last().map_or(self.published.lsn(), |stamp| Lsn(stamp.0));
                if group.loses_versions {
                    // The store has written its stamp into the state (see `add_state`). Both copies in memory must
                    // follow: the guard of the next commit compares bytes.
                    state.trimmed.lsn = newest;
                    self.state.trimmed.lsn = newest;
                }
                // Encoded again, with the stamp. Reading it back from the store would cost a get per group.
                self.stored_state = Some(state.encode().into());
                // Publish before responding: a caller that has its response must be able to read what it wrote, and
                // its session token must not be ahead of the partition.
                self.published.contention.record(&group.touched_items);
                self.published.publish(newest, &state);
                self.tracker.record(&group.touched_items, &stamps);
                for (transaction, stamp) in group.transactions.into_iter().zip(stamps) {
                    transaction.commit(Lsn(stamp.0));
                }
                next
            }
            Err(error) => {
                let is_guard = matches!(error.kind(), storage::ErrorKind::GuardFailed { .. });
                *failures += 1;
                self.unconfirmed_items
                    // Also after a failed guard: another process has written, so that the state in memory is out of
                    // date.
                    .get_or_insert_default()
                    .extend(group.touched_items.into_iter().flatten());
                // The next group was prepared on a state that may never have been stored.
                self.run_again(next.transactions);
                // `next` was put back first, so that this group, which is older, ends up in front of it.
                if is_guard && *failures < GUARD_RETRIES_MAX {
                    // A failed guard proves that nothing was written, so that running again cannot write twice. After
                    // any other error the writes may have arrived: only the caller can decide to repeat them.
                    self.run_again(group.transactions);
                } else {
                    reject(group.transactions.into(), &Error::from(error));
                }
                CommitGroup::default()
            }
        }
    }

    /// Waits for a commit and meanwhile prepares the transactions that arrive.
    async fn commit_and_prepare(
        &mut self,
        sets: Vec<WriteSet>,
        committing: &HashSet<StorageKey>,
        next: &mut CommitGroup,
    ) -> storage::Result<Vec<Stamp>> {
        let store = Arc::clone(&self.context.store);
        // `self` is borrowed mutably below, while this future lives: it must borrow the store from elsewhere.
        let mut commit = store.commit(self.context.identity.shard, sets);
        let mut is_open = true;
        loop {
            let has_room = next.has_room(&self.context.settings);
            // One request at a time, and only when nothing waits: what stays in the channel holds back the callers.
            let takes =
                has_room && is_open && self.waiting.is_empty() && self.pause_request.is_none();
            // The commit is polled first: it makes no progress until it is polled.
            tokio::select! {
                biased;
                committed = &mut commit => return committed,
                request = self.requests.recv(), if takes => match request {
                    Some(request) => self.accept(request),
                    // The channel stays ready for ever once it is closed. Without this flag the loop would spin until
                    // the commit ends.
                    None => is_open = false,
                },
                // Transactions that were put back come first. This branch keeps the commit polled between two of them.
                () = std::future::ready(()), if has_room && !self.waiting.is_empty() => {}
            }
            if has_room && let Some(transaction) = self.waiting.pop_front() {
                // The commit is not polled meanwhile. That delays the response by one run, which only reads; the
                // committer thread of the store makes progress by itself.
                self.prepare(next, transaction, committing).await;
            }
        }
    }

    /// Puts transactions back in front of those that wait, in their order.
    fn run_again(&mut self, transactions: Vec<Box<dyn QueuedTransaction>>) {
        // Reversed, because each is pushed in front of the one before.
        for transaction in transactions.into_iter().rev() {
            self.waiting.push_front(transaction);
        }
    }

    /// Adds the state to a group: the first set carries the guard on the old state, the last one the new state. The
    /// sets of one commit are atomic together, so that one guard protects all of them.
    fn add_state(&self, group: &mut CommitGroup, state: &PartitionState) {
        let guard = match &self.stored_state {
            Some(stored) => Guard::Unchanged(stored.clone()),
            // The first commit of a partition: another process must not have created it meanwhile.
            None => Guard::Absent,
        };
        if let Some(first) = group.sets.first_mut() {
            first.guard(STATE, STATE_KEY, guard);
        }
        // A feed position before versions that were not kept must be refused, and only the store knows their lsn: it
        // writes its stamp into the state.
        let trimmed_at = group.loses_versions.then_some(PartitionState::TRIMMED_AT);
        if let Some(last) = group.sets.last_mut() {
            last.put_stamped(STATE, STATE_KEY, state.encode(), None, trimmed_at);
        }
    }

    /// After a failed commit, asks the store what became of it.
    async fn confirm_last_commit(&mut self) -> Result<()> {
        if self.unconfirmed_items.is_none() {
            return Ok(());
        }
        // Loaded before `load` publishes the new one: the lsns in between belong to the commits in question.
        let before = self.published.lsn();
        // If this fails, `unconfirmed_items` stays set and the question is asked again before the next write.
        self.load().await?;
        let items = self.unconfirmed_items.take().unwrap_or_default();
        self.tracker.record_unconfirmed(&items, before, self.published.lsn());
        Ok(())
    }

    /// Reads the state: at the start, and whenever it is unknown whether a commit arrived.
    async fn load(&mut self) -> Result<()> {
        let shard = self.context.identity.shard;
        let stored = self.context.store.get(shard, STATE, STATE_KEY).await?;
        self.state = match &stored {
            Some(stored) => PartitionState::decode(stored)?,
            None => PartitionState::default(),
        };
        self.stored_state = stored;
        // Read after the state. This writer has no commit in progress here, so that both belong together.
        let stamp = self.context.store.last_stamp(shard).await?;
        self.published.contention.invalidate();
        self.published.publish(Lsn(stamp.0), &self.state);
        Ok(())
    }

    /// Waits until the pause is dropped (false) or the partition is retired (true).
    async fn pause(&mut self, sender: oneshot::Sender<WriterPause>) -> bool {
        // Whoever pauses the writer reads the shard next and relies on the tracker; both must be up to date if
        // possible.
        let is_confirmed = self.confirm_last_commit().await.is_ok();
        let (pause, retired) = WriterPause::new(is_confirmed, self.tracker.clone());
        if sender.send(pause).is_err() {
            // The caller has gone away before it was paused: go on.
            return false;
        }
        retired.await.is_ok()
    }

    /// Hands back what is queued. Closing first means that a later caller finds the queue closed, while one that is
    /// just entering it is still received here.
    async fn retire_queue(&mut self) {
        self.requests.close();
        // Ends when the last sender that had a permit has sent.
        while let Some(request) = self.requests.recv().await {
            request.retire();
        }
    }
}
