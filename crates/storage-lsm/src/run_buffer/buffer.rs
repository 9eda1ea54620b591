//! The runs of the buffered space that are not in the tree yet.
//!
//! Owns which runs a reader sees, and joining small runs so that a reader has few to search. Does not own the thread
//! that writes them into the tree: see `ingestion`.
//!
//! A batch is visible in the tree at one instant, and its run must be visible with it. So the run is announced before
//! the batch is committed. A reader takes its snapshot of the tree while the list of runs cannot change; at most one
//! run is announced and not settled then, and the snapshot itself says whether it contains that batch.
//!
//! ```text
//! announce ─► commit of the batch ─► settle ─► joined with its neighbours ─► frozen ─► in the tree ─► dropped
//! ```
//!
//! A run that is in the tree and not dropped yet does no harm: it says the same as the tree.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use storage::Shard;

use super::run::{RecentValue, SortedRun};

/// So many neighbouring runs of about one size are joined. A reader searches at most three runs of each size, and an
/// entry is copied once for each size, of which there are about eight.
const JOINED_RUNS: usize = 4;

/// Runs are of about one size if their sizes have the same logarithm to this base.
const SIZE_FACTOR: usize = 4;

/// Runs in memory, from the oldest to the newest.
type RunList = Arc<[Arc<SortedRun>]>;

/// The runs of a store.
pub(crate) struct RunBuffer {
    state: RwLock<BufferState>,
    /// The batches whose records are in the keyspace `runs`, in order. Only the committer uses it.
    records: Mutex<VecDeque<u64>>,
    /// Everything up to this batch is in the tree.
    ingested: AtomicU64,
}

#[derive(Default)]
struct BufferState {
    runs: RunList,
    /// So many of the oldest runs are being written into the tree, and stay as they are.
    frozen: usize,
    pending: Option<PendingRun>,
}

/// The run of a batch that is being committed.
pub(crate) struct PendingRun {
    pub(crate) run: Arc<SortedRun>,
    /// The tree gives the batch this sequence number or a greater one.
    pub(crate) bound: u64,
    /// A shard whose stamp the batch writes.
    pub(crate) shard: Shard,
}

/// The runs that belong to one snapshot of the tree.
#[derive(Clone, Default)]
pub(crate) struct BufferView {
    runs: RunList,
    newest: Option<Arc<SortedRun>>,
}

impl RunBuffer {
    /// A buffer of the runs whose records are in the tree, from the oldest to the newest.
    pub(crate) fn new(recovered: Vec<SortedRun>) -> Self {
        let records = recovered.iter().map(SortedRun::last_batch).collect();
        let buffer = Self {
            state: RwLock::default(),
            records: Mutex::new(records),
            ingested: AtomicU64::new(0),
        };
        for run in recovered {
            buffer.change(|state| state.replace_tail(0, Arc::new(run)));
            buffer.join_newest();
        }
        buffer
    }

    /// Takes a snapshot together with the runs that belong to it. `includes` says whether the snapshot contains the
    /// batch of a run that is being committed.
    pub(crate) fn view<S>(
        &self,
        take: impl FnOnce() -> S,
        includes: impl FnOnce(&S, &PendingRun) -> bool,
    ) -> (S, BufferView) {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let snapshot = take();
        let newest = state.pending.as_ref().filter(|pending| includes(&snapshot, pending));
        let newest = newest.map(|pending| Arc::clone(&pending.run));
        let view = BufferView { runs: Arc::clone(&state.runs), newest };
        (snapshot, view)
    }

    /// What the settled runs know of a key.
    pub(crate) fn get_settled(&self, key: &[u8]) -> Option<Option<Vec<u8>>> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let found = state.runs.iter().rev().find_map(|run| run.get(key))?;
        Some(found.map(<[u8]>::to_vec))
    }

    /// Adds the run of a batch that is about to be committed.
    pub(crate) fn announce(&self, pending: PendingRun) {
        self.records().push_back(pending.run.last_batch());
        self.change(|state| state.pending = Some(pending));
    }

    /// The announced batch is committed.
    pub(crate) fn settle(&self) {
        // One change: between two, a reader would find the batch in the tree and its run nowhere.
        let is_settled = self.change(|state| match state.pending.take() {
            Some(pending) => {
                state.replace_tail(0, pending.run);
                true
            }
            None => false,
        });
        if is_settled {
            self.join_newest();
        }
    }

    /// The announced batch is not committed, and never will be.
    pub(crate) fn discard(&self) {
        if self.change(|state| state.pending.take()).is_some() {
            self.records().pop_back();
        }
    }

    /// Bytes of the runs that nobody writes into the tree yet.
    pub(crate) fn active_bytes(&self) -> usize {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.runs.iter().skip(state.frozen).map(|run| run.size()).sum()
    }

    /// The runs so far, to be written into the tree; they stay until [`RunBuffer::drop_frozen`].
    pub(crate) fn freeze(&self) -> RunList {
        self.change(|state| {
            state.frozen = state.runs.len();
            Arc::clone(&state.runs)
        })
    }

    /// The frozen runs are in the tree, and durable there.
    pub(crate) fn drop_frozen(&self) {
        self.change(|state| {
            let frozen = state.runs.get(..state.frozen).unwrap_or_default();
            if let Some(newest) = frozen.last() {
                self.ingested.fetch_max(newest.last_batch(), Ordering::AcqRel);
            }
            state.runs = state.runs.iter().skip(state.frozen).cloned().collect();
            state.frozen = 0;
        });
    }

    /// Batches whose records are no longer needed, at most so many. The caller removes the records.
    pub(crate) fn take_obsolete(&self, records_max: usize) -> Vec<u64> {
        let ingested = self.ingested.load(Ordering::Acquire);
        let mut records = self.records();
        let obsolete = records.iter().take_while(|batch| **batch <= ingested).count();
        records.drain(..obsolete.min(records_max)).collect()
    }

    fn records(&self) -> MutexGuard<'_, VecDeque<u64>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut BufferState) -> T) -> T {
        change(&mut self.state.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Joins the newest run with its neighbours while there are enough of about its size.
    fn join_newest(&self) {
        loop {
            let (runs, frozen) = {
                let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
                (Arc::clone(&state.runs), state.frozen)
            };
            let active = runs.get(frozen..).unwrap_or_default();
            let Some(tail) = tail_to_join(active) else { return };
            // Without the lock: meanwhile runs may leave at the front and none is added, because this is the thread
            // that adds them.
            let joined = SortedRun::join(tail.iter().map(AsRef::as_ref));
            self.change(|state| state.replace_tail(tail.len(), Arc::new(joined)));
        }
    }
}

impl BufferState {
    /// Puts a run in the place of so many of the newest ones.
    fn replace_tail(&mut self, replaced: usize, run: Arc<SortedRun>) {
        let kept = self.runs.iter().take(self.runs.len() - replaced).cloned();
        self.runs = kept.chain(std::iter::once(run)).collect();
    }
}

impl BufferView {
    /// From the newest run to the oldest.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &SortedRun> {
        let newest = self.newest.iter();
        newest.chain(self.runs.iter().rev()).map(AsRef::as_ref)
    }

    /// What the runs know of a key.
    pub(crate) fn get(&self, key: &[u8]) -> Option<RecentValue<'_>> {
        self.runs().find_map(|run| run.get(key))
    }
}

/// The newest runs, if there are enough that are not larger than about the newest one.
fn tail_to_join(runs: &[Arc<SortedRun>]) -> Option<&[Arc<SortedRun>]> {
    let size = |run: &SortedRun| run.size().max(1).ilog(SIZE_FACTOR);
    let newest = size(runs.last()?);
    let count = runs.iter().rev().take_while(|run| size(run) <= newest).count();
    (count >= JOINED_RUNS).then(|| runs.get(runs.len() - count..)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_buffer::RunBuilder;

    fn run(batch: u64) -> Arc<SortedRun> {
        let mut builder = RunBuilder::default();
        builder.push(&batch.to_be_bytes(), Some(b"value"));
        builder.push(b"shared", Some(&batch.to_be_bytes()));
        Arc::new(builder.finish(batch))
    }

    fn announce(buffer: &RunBuffer, batch: u64) {
        buffer.announce(PendingRun { run: run(batch), bound: batch, shard: Shard(1) });
    }

    fn batch_of(view: &BufferView) -> Option<u64> {
        let value = view.get(b"shared")??;
        Some(u64::from_be_bytes(value.try_into().unwrap()))
    }

    #[test]
    fn a_view_has_the_pending_run_only_if_its_snapshot_contains_the_batch() {
        let buffer = RunBuffer::new(Vec::new());
        announce(&buffer, 1);
        let batch = |includes: bool| batch_of(&buffer.view(|| (), |(), _| includes).1);
        assert_eq!(batch(false), None);
        assert_eq!(batch(true), Some(1));
        buffer.settle();
        assert_eq!(batch(false), Some(1));
        announce(&buffer, 2);
        assert_eq!((batch(false), batch(true)), (Some(1), Some(2)));
        buffer.discard();
        assert_eq!(batch(true), Some(1));
    }

    #[test]
    fn a_view_has_every_batch_of_an_earlier_one() {
        const BATCHES: u64 = 20_000;
        let buffer = RunBuffer::new(Vec::new());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for batch in 1..=BATCHES {
                    announce(&buffer, batch);
                    buffer.settle();
                }
            });
            let mut newest = 0;
            while newest < BATCHES {
                let seen = batch_of(&buffer.view(|| (), |(), _| true).1).unwrap_or_default();
                assert!(seen >= newest, "{seen} after {newest}");
                newest = seen;
            }
        });
    }

    #[test]
    fn runs_are_joined_and_nothing_is_lost() {
        let buffer = RunBuffer::new(Vec::new());
        for batch in 1..=1_000 {
            announce(&buffer, batch);
            buffer.settle();
            let runs = buffer.view(|| (), |(), _| false).1.runs().count();
            assert!(runs <= 30, "{runs} runs after {batch} batches");
        }
        let (_, view) = buffer.view(|| (), |(), _| false);
        for batch in 1..=1_000_u64 {
            assert_eq!(view.get(&batch.to_be_bytes()), Some(Some(b"value".as_slice())));
        }
        assert_eq!(batch_of(&view), Some(1_000));
    }

    #[test]
    fn frozen_runs_stay_readable_until_they_are_dropped_and_older_views_keep_them() {
        let buffer = RunBuffer::new(vec![Arc::into_inner(run(1)).unwrap()]);
        let frozen = buffer.freeze();
        assert_eq!(frozen.len(), 1);
        assert_eq!(buffer.active_bytes(), 0);
        for batch in 2..=9 {
            announce(&buffer, batch);
            buffer.settle();
        }
        let (_, before) = buffer.view(|| (), |(), _| false);
        assert_eq!(buffer.take_obsolete(100), Vec::<u64>::new());
        buffer.drop_frozen();
        let (_, after) = buffer.view(|| (), |(), _| false);
        assert_eq!(before.get(&1_u64.to_be_bytes()), Some(Some(b"value".as_slice())));
        assert_eq!(after.get(&1_u64.to_be_bytes()), None);
        assert_eq!(batch_of(&after), Some(9));
        assert_eq!(buffer.take_obsolete(100), [1]);
        assert_eq!(buffer.take_obsolete(100), Vec::<u64>::new());
    }
}
