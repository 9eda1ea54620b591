//! The one thread that writes.
//!
//! Owns the turn of a batch: take what is queued, merge it, write and sync it once, record what is now durable, publish
//! the stamps, answer the callers. Does not own the rules inside a batch (`merge`) nor the queue's order (`queue`).
//! After a failed write it writes nothing more: the tree's journal may end in the middle of a record, and only opening
//! it again can tell.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use fjall::PersistMode;
use storage::{Error, Result, Shard, Stamp};

use super::backpressure;
use super::gather::Gather;
use super::merge::Merge;
use super::queue::{Job, Queue, Reply};
use crate::acknowledged::Acknowledged;
use crate::failure::{guarded, stopped, write_failed};
use crate::settings::Durability;
use crate::store::Shared;

/// The committer's own state; it lives on its thread.
pub(crate) struct Committer {
    shared: Arc<Shared>,
    queue: Arc<Queue>,
    durability: Durability,
    acknowledged: Acknowledged,
    pending: VecDeque<Job>,
    merge: Merge,
    gather: Gather,
    /// Stamps that are visible but not yet synced, and since when; only in relaxed mode.
    unsynced: HashMap<Shard, Stamp>,
    unsynced_since: Option<Instant>,
    /// Why nothing is written any more.
    failed: Option<String>,
}

type Answer = (Reply<Vec<Stamp>>, Result<Vec<Stamp>>);

impl Committer {
    pub(crate) fn new(
        shared: Arc<Shared>,
        queue: Arc<Queue>,
        durability: Durability,
        acknowledged: Acknowledged,
    ) -> Self {
        Self {
            shared,
            queue,
            durability,
            acknowledged,
            pending: VecDeque::new(),
            merge: Merge::default(),
            gather: Gather::default(),
            unsynced: HashMap::new(),
            unsynced_since: None,
            failed: None,
        }
    }

    /// Works until the queue ends.
    pub(crate) fn run(mut self) {
        // Also when this thread panics: callers must not wait for answers that never come.
        let _end = EndOfQueue(Arc::clone(&self.queue));
        loop {
            let timeout = self.time_to_sync();
            if !self.queue.take_all(&mut self.pending, timeout) {
                break;
            }
            self.gather();
            while let Some(job) = self.pending.pop_front() {
                self.turn(job);
                self.sync_when_due();
            }
            self.sync_when_due();
        }
        let _ = self.sync();
    }

    /// Gives callers that are about to come back the time to join the next batch.
    fn gather(&mut self) {
        let Some(wait) = self.gather.wait(self.pending.len()) else { return };
        self.queue.take_until(&mut self.pending, wait.jobs, now() + wait.time_max);
        self.gather.waited(wait, self.pending.len());
    }

    fn sync_when_due(&mut self) {
        if self.time_to_sync() == Some(Duration::ZERO) {
            // A failure is remembered and told to the next caller; nobody waits for this sync.
            let _ = self.sync();
        }
    }

    fn turn(&mut self, job: Job) {
        match job {
            Job::Commit { .. } => self.commit_pending(job),
            Job::Sync { reply } => {
                self.queue.release(1);
                let _ = reply.send(self.sync());
            }
            Job::Close { reply } => {
                self.queue.release(1);
                self.queue.end();
                let _ = reply.send(self.close());
            }
        }
    }

    /// Merges the commits at the front of what is pending, up to the bound of a batch, and writes them.
    fn commit_pending(&mut self, first: Job) {
        let mut answers = Vec::new();
        let mut next = Some(first);
        while let Some(Job::Commit { shard, group, reply }) = next {
            let merged = match &self.failed {
                Some(reason) => Err(stopped(&self.shared.keyspaces.path, reason)),
                None => self.merge.add(&self.shared, shard, &group),
            };
            answers.push((reply, merged));
            let another = matches!(self.pending.front(), Some(Job::Commit { .. }));
            next = if another && !self.merge.is_full() { self.pending.pop_front() } else { None };
        }
        self.queue.release(answers.len());
        let began = now();
        let written = if self.merge.is_empty() { Ok(()) } else { self.write() };
        self.merge.clear();
        if self.durability == Durability::Synced {
            let callers = answers.len() + self.pending.len() + self.queue.len();
            self.gather.synced(callers, now().duration_since(began));
        }
        answer(answers, written);
    }

    fn write(&mut self) -> Result<()> {
        if let Err(error) = backpressure::make_room(&self.shared.keyspaces) {
            return Err(self.fail(&error));
        }
        let mode = match self.durability {
            Durability::Synced => PersistMode::SyncData,
            Durability::Relaxed { .. } => PersistMode::Buffer,
        };
        let batch = self.merge.take_batch(&self.shared, mode)?;
        if let Err(error) = guarded(|| batch.commit()) {
            return Err(self.fail(&error));
        }
        self.shared.recent.is_visible(self.shared.recent.next_batch());
        match self.durability {
            Durability::Synced => {
                if let Err(error) = self.acknowledged.record(self.merge.stamps()) {
                    return Err(self.fail(&error));
                }
            }
            Durability::Relaxed { .. } => {
                self.unsynced.extend(self.merge.stamps());
                self.unsynced_since.get_or_insert_with(now);
            }
        }
        for (shard, stamp) in self.merge.stamps() {
            self.shared.last_stamps.publish(shard, stamp);
        }
        Ok(())
    }

    /// Makes every batch so far durable and records it.
    fn sync(&mut self) -> Result<()> {
        if let Some(reason) = &self.failed {
            return Err(stopped(&self.shared.keyspaces.path, reason));
        }
        if let Err(error) = guarded(|| self.shared.keyspaces.database.persist(PersistMode::SyncAll))
        {
            return Err(self.fail(&error));
        }
        self.unsynced_since = None;
        let recorded = self.acknowledged.record(self.unsynced.drain());
        if let Err(error) = recorded.and_then(|()| self.acknowledged.sync()) {
            return Err(self.fail(&error));
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        self.sync()?;
        backpressure::flush(&self.shared.keyspaces).map_err(|error| self.fail(&error))
    }

    /// Stops all further writing and returns what the callers of this one are told.
    fn fail(&mut self, reason: &dyn std::fmt::Display) -> Error {
        let reason = reason.to_string();
        let error = write_failed(&self.shared.keyspaces.path, &reason);
        self.failed = Some(reason);
        // What is not synced by now never will be; the timer must not try again.
        self.unsynced.clear();
        self.unsynced_since = None;
        error
    }

    /// How long the oldest unsynced commit may still wait; `None` when there is none.
    fn time_to_sync(&self) -> Option<Duration> {
        let Durability::Relaxed { sync_every_ms } = self.durability else {
            return None;
        };
        let waited = now().duration_since(self.unsynced_since?);
        Some(Duration::from_millis(sync_every_ms).saturating_sub(waited))
    }
}

/// Answers the callers of a batch. When it was not written they are all told so, also those a guard refused: the guard
/// may have failed because of a write in the same batch that does not exist now.
fn answer(answers: Vec<Answer>, written: Result<()>) {
    match written {
        Ok(()) => {
            for (reply, outcome) in answers {
                let _ = reply.send(outcome);
            }
        }
        Err(error) => {
            for (reply, _) in answers {
                let copy = Error::new(error.kind().clone(), error.to_string());
                let _ = reply.send(Err(copy));
            }
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long data may stay unsynced is real time of the device, which no simulation replays"
)]
fn now() -> Instant {
    Instant::now()
}

/// Ends the queue when the committer's thread ends, and drops the jobs nobody will do.
struct EndOfQueue(Arc<Queue>);

impl Drop for EndOfQueue {
    fn drop(&mut self) {
        self.0.end();
        self.0.take_all(&mut VecDeque::new(), None);
    }
}
