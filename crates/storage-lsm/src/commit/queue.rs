//! The bounded way from callers to the committer.
//!
//! Owns the order of jobs and the room for them. Does not own what a job does: `committer` takes them all at once.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use storage::{Result, Shard, Stamp, WriteSet};
use tokio::sync::{Semaphore, oneshot};

use crate::failure::closed;

/// Where the outcome of a job goes. A caller who has gone away does not hear it; the job is done all the same.
pub(crate) type Reply<T> = oneshot::Sender<Result<T>>;

/// Something the committer does in its turn.
pub(crate) enum Job {
    Commit { shard: Shard, group: Vec<WriteSet>, reply: Reply<Vec<Stamp>> },
    Sync { reply: Reply<()> },
    Close { reply: Reply<()> },
}

/// Jobs in order of arrival.
pub(crate) struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    room: Semaphore,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    /// With fewer jobs the committer is not to be woken.
    wanted: usize,
    ended: bool,
}

impl Queue {
    pub(crate) fn new(jobs_max: usize) -> Self {
        Self {
            waiting: Mutex::default(),
            changed: Condvar::new(),
            room: Semaphore::new(jobs_max.min(Semaphore::MAX_PERMITS)),
        }
    }

    /// Adds a job, once there is room for it.
    pub(crate) async fn push(&self, job: Job) -> Result<()> {
        let room = self.room.acquire().await.map_err(|_| closed())?;
        let mut waiting = self.lock();
        if waiting.ended {
            return Err(closed());
        }
        waiting.jobs.push_back(job);
        // The room is given back by `release`, when the committer has taken the job in hand.
        room.forget();
        let is_enough = waiting.jobs.len() >= waiting.wanted;
        drop(waiting);
        if is_enough {
            self.changed.notify_one();
        }
        Ok(())
    }

    /// Moves everything that waits to the end of `taken`, after waiting for something to come, for the end of the
    /// queue, or for the time to pass. False when the queue has ended and nothing was left.
    pub(crate) fn take_all(&self, taken: &mut VecDeque<Job>, timeout: Option<Duration>) -> bool {
        let mut waiting = self.lock();
        if waiting.jobs.is_empty() && !waiting.ended {
            waiting = match timeout {
                None => {
                    let idle = |waiting: &mut Waiting| waiting.jobs.is_empty() && !waiting.ended;
                    self.changed.wait_while(waiting, idle).unwrap_or_else(PoisonError::into_inner)
                }
                Some(timeout) => {
                    let woken = self.changed.wait_timeout(waiting, timeout);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        let goes_on = !waiting.ended || !waiting.jobs.is_empty();
        taken.append(&mut waiting.jobs);
        goes_on
    }

    /// Moves what comes to the end of `taken` until it has so many jobs, the time has come, or the queue ends.
    #[expect(
        clippy::disallowed_methods,
        reason = "how long callers are waited for is real time, as the sync that it saves"
    )]
    pub(crate) fn take_until(&self, taken: &mut VecDeque<Job>, jobs: usize, deadline: Instant) {
        let mut waiting = self.lock();
        waiting.wanted = jobs.saturating_sub(taken.len());
        while waiting.jobs.len() < waiting.wanted && !waiting.ended {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let woken = self.changed.wait_timeout(waiting, left);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        waiting.wanted = 0;
        taken.append(&mut waiting.jobs);
    }

    /// Jobs that wait now.
    pub(crate) fn len(&self) -> usize {
        self.lock().jobs.len()
    }

    /// Gives back the room of jobs that `take_all` has taken.
    pub(crate) fn release(&self, jobs: usize) {
        self.room.add_permits(jobs);
    }

    /// Refuses further jobs; those that wait can still be taken.
    pub(crate) fn end(&self) {
        self.lock().ended = true;
        self.room.close();
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
