//! How long the committer waits for callers it has just answered, so that one sync serves them all.
//!
//! Owns the guess. Callers who write one item after the other come back a moment after their answer. Without a wait the
//! first of them starts a batch alone, the others meet in the next one, and every caller pays for two syncs. A wait is
//! shorter than what it may save, and one that was in vain is followed by batches without any. Does not own the queue
//! nor the clock.

use std::time::Duration;

/// Whatever the last sync took, nobody waits longer than this.
const PATIENCE_MAX: Duration = Duration::from_millis(2);
/// After waits in vain, up to so many batches go without one.
const REST_BATCHES_MAX: u32 = 256;

/// What is known of the callers.
#[derive(Debug, Default)]
pub(crate) struct Gather {
    /// Callers that were answered last or waited then.
    expected: usize,
    patience: Duration,
    /// Batches that do not wait: still to come, and how many it will be after the next wait in vain.
    rest_batches: u32,
    next_rest_batches: u32,
}

/// A wait worth its time: until so many jobs are there, but not longer than this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) jobs: usize,
    pub(crate) time_max: Duration,
}

impl Gather {
    /// Whether to wait before the next batch, for which so many jobs are there.
    pub(crate) fn wait(&mut self, jobs: usize) -> Option<Wait> {
        if jobs >= self.expected || self.patience.is_zero() {
            return None;
        }
        if self.rest_batches > 0 {
            self.rest_batches -= 1;
            return None;
        }
        Some(Wait { jobs: self.expected, time_max: self.patience })
    }

    /// What a wait has led to.
    pub(crate) fn waited(&mut self, wait: Wait, jobs: usize) {
        if jobs >= wait.jobs {
            self.next_rest_batches = 0;
            return;
        }
        self.next_rest_batches = (self.next_rest_batches * 2).clamp(1, REST_BATCHES_MAX);
        self.rest_batches = self.next_rest_batches;
    }

    /// A batch is synced: so many callers were answered or are waiting, and writing it took so long.
    pub(crate) fn synced(&mut self, callers: usize, took: Duration) {
        self.expected = callers;
        self.patience = (took / 2).min(PATIENCE_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYNC: Duration = Duration::from_millis(1);

    fn after(callers: usize) -> Gather {
        let mut gather = Gather::default();
        gather.synced(callers, SYNC);
        gather
    }

    #[test]
    fn a_single_caller_is_never_kept_waiting() {
        assert_eq!(Gather::default().wait(1), None);
        assert_eq!(after(1).wait(1), None);
        assert_eq!(after(3).wait(3), None);
    }

    #[test]
    fn callers_that_were_answered_are_waited_for_half_a_sync() {
        let expected = Wait { jobs: 16, time_max: SYNC / 2 };
        assert_eq!(after(16).wait(8), Some(expected));
        let mut gather = Gather::default();
        gather.synced(16, Duration::from_secs(1));
        assert_eq!(gather.wait(8).unwrap().time_max, PATIENCE_MAX);
    }

    #[test]
    fn waits_in_vain_become_rare_and_one_that_succeeds_makes_up_for_them() {
        let mut gather = after(16);
        let mut waits = 0;
        for _ in 0..10_000 {
            if let Some(wait) = gather.wait(1) {
                gather.waited(wait, 1);
                waits += 1;
            }
            gather.synced(16, SYNC);
        }
        assert!((20..60).contains(&waits), "{waits}");
        while gather.wait(1).is_none() {}
        let wait = Wait { jobs: 16, time_max: SYNC / 2 };
        gather.waited(wait, 16);
        assert_eq!(gather.wait(1), Some(wait));
        gather.waited(wait, 1);
        assert_eq!(gather.wait(1), None);
        assert_eq!(gather.wait(1), Some(wait));
    }
}
