//! The bounded queue from callers to the committer.
//!
//! Owns the order of jobs and the bound on how many may wait. Does not own what a job does: the committer takes all
//! queued jobs at once.

use std::collections::VecDeque;
use std::sync::PoisonError;
#[cfg(not(test))]
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

#[cfg(test)]
use interleaving::{Condvar, Mutex, MutexGuard};
use storage::{Result, Shard, Stamp, WriteSet};
use tokio::sync::{Semaphore, oneshot};

use crate::error::closed;

/// Where the result of a job is sent. If the caller has gone away, the job is done all the same.
pub(crate) type ResultSender<T> = oneshot::Sender<Result<T>>;

/// A job for the committer.
pub(crate) enum CommitJob {
    Commit { shard: Shard, group: Vec<WriteSet>, result: ResultSender<Vec<Stamp>> },
    Sync { result: ResultSender<()> },
    Close { result: ResultSender<()> },
}

/// Jobs in order of arrival.
pub(crate) struct CommitQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
    /// One permit per job that may still enter. Callers wait here, in order, without blocking a thread.
    permits: Semaphore,
}

#[derive(Default)]
struct QueueState {
    jobs: VecDeque<CommitJob>,
    /// The committer sleeps until this many jobs are queued; a push below that number does not wake it.
    wake_at: usize,
    closed: bool,
}

impl CommitQueue {
    pub(crate) fn new(jobs_max: usize) -> Self {
        Self {
            state: Mutex::default(),
            changed: Condvar::new(),
            permits: Semaphore::new(jobs_max.min(Semaphore::MAX_PERMITS)),
        }
    }

    /// Adds a job as soon as the bound allows.
    pub(crate) async fn push(&self, job: CommitJob) -> Result<()> {
        let permit = self.permits.acquire().await.map_err(|_| closed())?;
        let mut state = self.lock();
        // The semaphore was open when the permit was given; the queue may have closed since. The permit goes back by
        // itself.
        if state.closed {
            return Err(closed());
        }
        state.jobs.push_back(job);
        // `release` gives the permit back when the committer starts on the job, not when it takes it out of the queue,
        // so that the bound covers the jobs the committer has taken but not started.
        permit.forget();
        let wakes = state.jobs.len() >= state.wake_at;
        // Unlocked before waking, or the committer would wake up only to wait for the lock.
        drop(state);
        if wakes {
            self.changed.notify_one();
        }
        Ok(())
    }

    /// Waits for a job, for the queue to close or for the timeout, and moves all queued jobs to the end of `taken`.
    /// Returns false if the queue is closed and nothing was left.
    pub(crate) fn take_all(
        &self,
        taken: &mut VecDeque<CommitJob>,
        timeout: Option<Duration>,
    ) -> bool {
        let mut state = self.lock();
        if state.jobs.is_empty() && !state.closed {
            state = match timeout {
                None => {
                    let idle = |state: &mut QueueState| state.jobs.is_empty() && !state.closed;
                    self.changed.wait_while(state, idle).unwrap_or_else(PoisonError::into_inner)
                }
                Some(timeout) => {
                    let woken = self.changed.wait_timeout(state, timeout);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        // A closed queue is drained first: its jobs were accepted.
        let goes_on = !state.closed || !state.jobs.is_empty();
        taken.append(&mut state.jobs);
        goes_on
    }

    /// Moves queued jobs to the end of `taken` until it holds `jobs` of them, the deadline passes or the queue closes.
    #[expect(
        clippy::disallowed_methods,
        reason = "the wait is real time, as is the sync that it saves"
    )]
    pub(crate) fn take_until(
        &self,
        taken: &mut VecDeque<CommitJob>,
        jobs: usize,
        deadline: Instant,
    ) {
        let mut state = self.lock();
        // Waking up for every single job would cost more than the wait saves.
        state.wake_at = jobs.saturating_sub(taken.len());
        while state.jobs.len() < state.wake_at && !state.closed {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let woken = self.changed.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        // A later push must wake the committer at once again.
        state.wake_at = 0;
        taken.append(&mut state.jobs);
    }

    /// Number of queued jobs.
    pub(crate) fn len(&self) -> usize {
        self.lock().jobs.len()
    }

    /// Allows as many new jobs as the committer has started on.
    pub(crate) fn release(&self, jobs: usize) {
        self.permits.add_permits(jobs);
    }

    /// Refuses further jobs. Those that are queued can still be taken.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        // Callers that wait for a permit get an error instead of waiting for ever.
        self.permits.close();
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
