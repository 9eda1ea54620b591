//! How long the committer delays a batch so that callers it has just answered can join it.
//!
//! Owns the estimate. Callers that write one item after another come back shortly after their result. Without a delay
//! the first one starts a batch alone, the others meet in the next batch, and every caller pays for two syncs. A delay
//! is at most half as long as the sync that it may save, and after one that gained nothing some batches start without
//! any. Does not own the queue or the clock.

use std::time::Duration;

/// Upper bound of a delay, however slow the device is.
const DELAY_MAX: Duration = Duration::from_millis(2);
/// Upper bound of the number of batches that start without a delay after useless ones.
const SKIPPED_BATCHES_MAX: u32 = 256;

/// What recent batches say about the callers.
#[derive(Debug, Default)]
pub(crate) struct CommitDelay {
    /// Callers that were answered by the last batch or waited behind it.
    expected_callers: usize,
    time_max: Duration,
    /// Batches that still start without a delay.
    skip_batches: u32,
    /// How many batches the last useless delay made to skip; doubles with each further one.
    backoff_batches: u32,
}

/// A delay until this many jobs are queued, but not longer than this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DelayTarget {
    pub(crate) jobs: usize,
    pub(crate) time_max: Duration,
}

impl CommitDelay {
    /// The delay before the next batch, for which `jobs` are queued.
    pub(crate) fn next_target(&mut self, jobs: usize) -> Option<DelayTarget> {
        // Everybody is here, or nothing is known about the device yet.
        if jobs >= self.expected_callers || self.time_max.is_zero() {
            return None;
        }
        if self.skip_batches > 0 {
            self.skip_batches -= 1;
            return None;
        }
        Some(DelayTarget { jobs: self.expected_callers, time_max: self.time_max })
    }

    /// Records how many jobs were queued after a delay.
    pub(crate) fn record_delay(&mut self, target: DelayTarget, jobs: usize) {
        if jobs >= target.jobs {
            self.backoff_batches = 0;
            return;
        }
        // Callers that have gone away would make every batch wait in vain; doubling makes that rare quickly.
        self.backoff_batches = (self.backoff_batches * 2).clamp(1, SKIPPED_BATCHES_MAX);
        self.skip_batches = self.backoff_batches;
    }

    /// Records a synced batch: how many callers were answered or are waiting, and how long it took to write.
    pub(crate) fn record_sync(&mut self, callers: usize, took: Duration) {
        self.expected_callers = callers;
        self.time_max = (took / 2).min(DELAY_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYNC: Duration = Duration::from_millis(1);

    fn delay_after(callers: usize) -> CommitDelay {
        let mut delay = CommitDelay::default();
        delay.record_sync(callers, SYNC);
        delay
    }

    #[test]
    fn a_single_caller_is_never_delayed() {
        assert_eq!(CommitDelay::default().next_target(1), None);
        assert_eq!(delay_after(1).next_target(1), None);
        assert_eq!(delay_after(3).next_target(3), None);
    }

    #[test]
    fn answered_callers_are_awaited_for_half_a_sync() {
        let expected = DelayTarget { jobs: 16, time_max: SYNC / 2 };
        assert_eq!(delay_after(16).next_target(8), Some(expected));
        let mut delay = CommitDelay::default();
        delay.record_sync(16, Duration::from_secs(1));
        assert_eq!(delay.next_target(8).unwrap().time_max, DELAY_MAX);
    }

    #[test]
    fn useless_delays_become_rare_until_one_succeeds() {
        let mut delay = delay_after(16);
        let mut delays = 0;
        for _ in 0..10_000 {
            if let Some(target) = delay.next_target(1) {
                delay.record_delay(target, 1);
                delays += 1;
            }
            delay.record_sync(16, SYNC);
        }
        assert!((20..60).contains(&delays), "{delays}");
        while delay.next_target(1).is_none() {}
        let target = DelayTarget { jobs: 16, time_max: SYNC / 2 };
        delay.record_delay(target, 16);
        assert_eq!(delay.next_target(1), Some(target));
        delay.record_delay(target, 1);
        assert_eq!(delay.next_target(1), None);
        assert_eq!(delay.next_target(1), Some(target));
    }
}
