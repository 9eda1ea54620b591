//! Turns: how many evaluations run at the same time, and which one is next.
//!
//! Owns a fair semaphore for threads: whoever has waited longest is next. Does not own the threads.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often a waiting thread looks whether its request was cancelled or has run out of time.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A fair semaphore for threads.
#[derive(Debug)]
pub(super) struct Turns {
    queue: Mutex<TurnQueue>,
    changed: Condvar,
}

#[derive(Debug)]
struct TurnQueue {
    free: usize,
    waiting: VecDeque<u64>,
    next_ticket: u64,
}

impl Turns {
    pub(super) fn new(at_once_max: usize) -> Self {
        let free = at_once_max.max(1);
        let queue = TurnQueue { free, waiting: VecDeque::new(), next_ticket: 0 };
        Self { queue: Mutex::new(queue), changed: Condvar::new() }
    }

    /// Waits for a turn, while `still_wanted` says so; returns whether the turn was given.
    pub(super) fn take(&self, still_wanted: impl Fn() -> bool) -> bool {
        let mut queue = self.lock();
        if queue.free > 0 && queue.waiting.is_empty() {
            queue.free -= 1;
            return true;
        }
        let ticket = queue.next_ticket;
        queue.next_ticket += 1;
        queue.waiting.push_back(ticket);
        loop {
            if queue.free > 0 && queue.waiting.front() == Some(&ticket) {
                queue.waiting.pop_front();
                queue.free -= 1;
                // Another turn may be free as well.
                self.changed.notify_all();
                return true;
            }
            if !still_wanted() {
                queue.waiting.retain(|waiting| *waiting != ticket);
                self.changed.notify_all();
                return false;
            }
            let waited = self.changed.wait_timeout(queue, LOOK_EVERY);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends a turn.
    pub(super) fn give_back(&self) {
        self.lock().free += 1;
        self.changed.notify_all();
    }

    /// Whether somebody waits for a turn.
    pub(super) fn has_waiting(&self) -> bool {
        !self.lock().waiting.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, TurnQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
