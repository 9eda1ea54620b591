//! The thread that writes.
//!
//! Owns one batch from start to end: take what is queued, merge it, write and sync it once, record what is now durable,
//! publish the stamps, answer the callers. Does not own the rules inside a batch (`batch`) or the order of jobs
//! (`queue`). After a failed write it writes nothing more: the tree's journal may end in the middle of a record, and
//! only opening the tree again can find out (`resume`).

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use fjall::PersistMode;
use storage::{Error, Result, Shard, Stamp};

use super::backpressure;
use super::batch::BatchBuilder;
use super::delay::CommitDelay;
use super::queue::{CommitJob, CommitQueue, ResultSender};
use super::resume::WriteFailure;
use crate::durable_stamps::DurableStampFile;
use crate::error::{catch_panic, stopped, write_failed};
use crate::inner::LsmInner;
use crate::integrity::SealedJournals;
use crate::keyspaces::Keyspaces;
use crate::open::write_manifest;
use crate::run_buffer::Ingester;
use crate::settings::Durability;
use crate::stamp_entry::BatchMark;

/// The tree as the committer writes to it.
pub(crate) struct OpenTree {
    pub(crate) keyspaces: Arc<Keyspaces>,
    /// The number of the last batch.
    pub(crate) last_batch: u64,
    pub(crate) sealed: SealedJournals,
}

/// The state of the committer; it lives on the committer's thread.
pub(crate) struct Committer {
    pub(super) inner: Arc<LsmInner>,
    queue: Arc<CommitQueue>,
    durability: Durability,
    pub(super) durable_stamps: DurableStampFile,
    /// `None` while it is opened again.
    pub(super) keyspaces: Option<Arc<Keyspaces>>,
    pub(super) last_batch: u64,
    pub(super) sealed: SealedJournals,
    pending: VecDeque<CommitJob>,
    batch: BatchBuilder,
    pub(super) ingester: Ingester,
    delay: CommitDelay,
    /// Stamps that are visible but not synced, and since when; only with relaxed durability.
    unsynced: HashMap<Shard, Stamp>,
    unsynced_since: Option<Instant>,
    /// Why nothing is written at present.
    pub(super) failed: Option<WriteFailure>,
}

type CommitResponse = (ResultSender<Vec<Stamp>>, Result<Vec<Stamp>>);

impl Committer {
    pub(crate) fn new(
        inner: Arc<LsmInner>,
        queue: Arc<CommitQueue>,
        durable_stamps: DurableStampFile,
        tree: OpenTree,
    ) -> Self {
        Self {
            durability: inner.settings.durability,
            batch: BatchBuilder::new(inner.spaces),
            inner,
            queue,
            durable_stamps,
            keyspaces: Some(tree.keyspaces),
            last_batch: tree.last_batch,
            sealed: tree.sealed,
            pending: VecDeque::new(),
            ingester: Ingester::default(),
            delay: CommitDelay::default(),
            unsynced: HashMap::new(),
            unsynced_since: None,
            failed: None,
        }
    }

    /// Runs jobs until the queue is closed.
    pub(crate) fn run(mut self) {
        // Also if this thread panics: callers must not wait for results that never come.
        let _close = CloseQueueOnDrop(Arc::clone(&self.queue));
        loop {
            let timeout = self.time_to_sync().or(self.time_to_resume());
            if !self.queue.take_all(&mut self.pending, timeout) {
                break;
            }
            self.resume_if_due();
            self.wait_for_more_jobs();
            while let Some(job) = self.pending.pop_front() {
                self.run_job(job);
                // Inside the loop as well: a long queue must not postpone the sync that is due.
                self.sync_if_due();
            }
            self.sync_if_due();
        }
        let _ = self.sync();
    }

    /// Lets callers that are about to come back join the next batch.
    fn wait_for_more_jobs(&mut self) {
        let Some(target) = self.delay.next_target(self.pending.len()) else { return };
        self.queue.take_until(&mut self.pending, target.jobs, now() + target.time_max);
        self.delay.record_delay(target, self.pending.len());
    }

    fn sync_if_due(&mut self) {
        if self.time_to_sync() == Some(Duration::ZERO) {
            // Nobody waits for this sync. A failure is remembered and returned to the next caller.
            let _ = self.sync();
        }
    }

    fn run_job(&mut self, job: CommitJob) {
        match job {
            CommitJob::Commit { .. } => self.commit_pending(job),
            CommitJob::Sync { result } => {
                self.queue.release(1);
                let _ = result.send(self.sync());
            }
            CommitJob::Close { result } => {
                self.queue.release(1);
                self.queue.close();
                let _ = result.send(self.close());
            }
        }
    }

    /// Merges the commits at the front of the pending jobs, up to the bounds of a batch, and writes them. A sync or a
    /// close ends the batch, so that it covers every commit queued before it and none after.
    fn commit_pending(&mut self, first: CommitJob) {
        let mut responses = Vec::new();
        let mut next = Some(first);
        while let Some(CommitJob::Commit { shard, group, result }) = next {
            let merged = match (&self.failed, &self.keyspaces) {
                (None, Some(keyspaces)) => {
                    self.batch.add(keyspaces, &self.inner.last_stamps, shard, &group)
                }
                _ => Err(self.stopped()),
            };
            responses.push((result, merged));
            let another = matches!(self.pending.front(), Some(CommitJob::Commit { .. }));
            // Checked after adding: a batch takes at least one group, however large.
            next = if another && !self.batch.is_full() { self.pending.pop_front() } else { None };
        }
        // Before the write: while the disk syncs, other callers may enter the queue and become the next batch.
        self.queue.release(responses.len());
        let began = now();
        let written = if self.batch.is_empty() { Ok(()) } else { self.write_batch() };
        self.batch.clear();
        if self.durability == Durability::Synced {
            // Those answered now are expected back; those waiting are already there.
            let callers = responses.len() + self.pending.len() + self.queue.len();
            self.delay.record_sync(callers, now().duration_since(began));
        }
        respond(responses, written);
    }

    fn write_batch(&mut self) -> Result<()> {
        let Some(keyspaces) = self.keyspaces.clone() else { return Err(self.stopped()) };
        let room = backpressure::make_room(&keyspaces);
        if let Err(error) = room.and_then(|()| self.ingester.make_room(&keyspaces)) {
            return Err(self.fail(&error));
        }
        self.sealed.follow(keyspaces.database().journal_count());
        let mode = match self.durability {
            Durability::Synced => PersistMode::SyncData,
            Durability::Relaxed { .. } => PersistMode::Buffer,
        };
        // Read before the batch receives its own, which cannot be smaller then.
        let bound = keyspaces.database().seqno();
        let mark = BatchMark { number: self.last_batch + 1, bound };
        // Building the batch invalidates cache entries, committing it makes the new values readable, publishing it
        // allows the cache to hold them. The order is what `read_cache` relies on.
        let batch = self.batch.build(&keyspaces, &self.inner.read_cache, mode, mark)?;
        if let Err(error) = catch_panic(|| batch.commit()) {
            keyspaces.buffer().discard();
            return Err(self.fail(&error));
        }
        keyspaces.buffer().settle();
        self.last_batch = mark.number;
        self.inner.read_cache.publish(self.inner.read_cache.next_batch());
        match self.durability {
            Durability::Synced => {
                // After the sync and before the callers hear of it: a stamp in this file is always durable, and an
                // acknowledged stamp is always in this file (until a power cut; see `durable_stamps`).
                if let Err(error) = self.durable_stamps.record(self.batch.stamps()) {
                    return Err(self.fail(&error));
                }
            }
            Durability::Relaxed { .. } => {
                // Not recorded in the side file yet: a stamp in it must be durable.
                self.unsynced.extend(self.batch.stamps());
                self.unsynced_since.get_or_insert_with(now);
            }
        }
        // Last: whoever waits for a stamp must find its writes.
        for (shard, stamp) in self.batch.stamps() {
            self.inner.last_stamps.publish(shard, stamp);
        }
        Ok(())
    }

    /// Makes every batch so far durable and records its stamps.
    fn sync(&mut self) -> Result<()> {
        let (None, Some(keyspaces)) = (&self.failed, self.keyspaces.clone()) else {
            return Err(self.stopped());
        };
        if let Err(error) = catch_panic(|| keyspaces.database().persist(PersistMode::SyncAll)) {
            return Err(self.fail(&error));
        }
        self.unsynced_since = None;
        // After the sync of the tree, for the same reason.
        let recorded = self.durable_stamps.record(self.unsynced.drain());
        if let Err(error) = recorded.and_then(|()| self.durable_stamps.sync()) {
            return Err(self.fail(&error));
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        // Synced before the memtables are flushed: the flush is an optimization, the sync a promise.
        self.sync()?;
        let Some(keyspaces) = self.keyspaces.clone() else { return Err(self.stopped()) };
        let ingested = self.ingester.wait();
        let flushed = ingested.and_then(|()| backpressure::flush(&keyspaces));
        flushed.map_err(|error| self.fail(&error))?;
        self.sealed.follow(keyspaces.database().journal_count());
        write_manifest(&keyspaces)
    }

    /// Stops all further writing and returns the error for the callers of the failed write.
    fn fail(&mut self, reason: &dyn std::fmt::Display) -> Error {
        let reason = reason.to_string();
        let error = write_failed(self.inner.path(), &reason);
        self.inner.set_write_failure(Some(reason.clone()));
        self.failed = Some(WriteFailure::new(reason, self.failed.take(), now()));
        // The timer must not try again: a sync that failed is not made good by a later one. What is not synced by now
        // is written again when the tree is opened again.
        self.unsynced.clear();
        self.unsynced_since = None;
        error
    }

    fn stopped(&self) -> Error {
        let reason =
            self.failed.as_ref().map_or("no tree is open", |failed| failed.reason.as_str());
        stopped(self.inner.path(), reason)
    }

    /// How long the oldest unsynced commit may still wait; `None` if there is none.
    fn time_to_sync(&self) -> Option<Duration> {
        let Durability::Relaxed { sync_every_ms } = self.durability else {
            return None;
        };
        let waited = now().duration_since(self.unsynced_since?);
        Some(Duration::from_millis(sync_every_ms).saturating_sub(waited))
    }
}

/// Answers the callers of a batch. If it was not written, all of them receive the error, including those whose guard
/// failed: the guard may have failed because of a write in the same batch, which does not exist now.
fn respond(responses: Vec<CommitResponse>, written: Result<()>) {
    match written {
        Ok(()) => {
            for (sender, result) in responses {
                let _ = sender.send(result);
            }
        }
        Err(error) => {
            for (sender, _) in responses {
                // An error has one owner; each caller gets a copy with the whole text.
                let copy = Error::new(error.kind().clone(), error.full_message());
                let _ = sender.send(Err(copy));
            }
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long data may stay unsynced is real time of the device, which no simulation replays"
)]
pub(super) fn now() -> Instant {
    Instant::now()
}

/// Closes the queue when the committer's thread ends, and drops the jobs that nobody will run.
struct CloseQueueOnDrop(Arc<CommitQueue>);

impl Drop for CloseQueueOnDrop {
    fn drop(&mut self) {
        self.0.close();
        // Dropping a job drops its sender, which wakes its caller with an error.
        self.0.take_all(&mut VecDeque::new(), None);
    }
}
