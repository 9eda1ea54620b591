//! When a failed call is retried, and after which delay.
//!
//! Owns the policy, which is pure: callers pass the time and a random number. Does not own which writes may be repeated
//! (`request`).

use std::time::Duration;

use crate::error::{Error, ErrorKind};

/// Retries of throttled and unavailable calls: exponential backoff with jitter. Each delay is random between half of
/// the backoff and all of it, and never shorter than the delay that the account asked for.
///
/// With a connected account, the official SDK additionally retries the failures that it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts of one call, including the first.
    pub attempts_max: u32,
    /// The backoff after the first attempt.
    pub first_delay: Duration,
    /// Maximum backoff. A longer delay that the account asks for is still respected.
    pub delay_max: Duration,
    /// A call fails if its next delay would end later than this after its first failure.
    pub elapsed_max: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            // With these values the backoffs add up to about three seconds.
            attempts_max: 6,
            first_delay: Duration::from_millis(50),
            delay_max: Duration::from_secs(5),
            elapsed_max: Duration::from_secs(30),
        }
    }
}

impl RetryPolicy {
    /// No retries.
    pub const NEVER: Self = Self {
        attempts_max: 1,
        first_delay: Duration::ZERO,
        delay_max: Duration::ZERO,
        elapsed_max: Duration::ZERO,
    };

    /// The delay after attempt number `attempt` failed, `spent_ms` after the first failure; `None` to give up.
    pub(crate) fn delay(
        &self,
        error: &Error,
        attempt: u32,
        spent_ms: u64,
        random: u64,
    ) -> Option<Duration> {
        let requested = match error.kind() {
            ErrorKind::Throttled { delay } => delay.unwrap_or_default(),
            ErrorKind::Unavailable => Duration::ZERO,
            _ => return None,
        };
        if attempt >= self.attempts_max {
            return None;
        }
        let delay = self.backoff(attempt, random).max(requested);
        // Decided before the wait: a caller that will fail anyway should not wait first.
        (Duration::from_millis(spent_ms) + delay <= self.elapsed_max).then_some(delay)
    }

    /// The backoff after attempt number `attempt`, with jitter from `random`.
    pub(crate) fn backoff(&self, attempt: u32, random: u64) -> Duration {
        // A shift by 32 or more has no value; the maximum is cut by `delay_max` in the next line.
        let doubled = 1u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
        let longest = self.first_delay.saturating_mul(doubled).min(self.delay_max);
        let half_ms = u64::try_from(longest.as_millis() / 2).unwrap_or(u64::MAX);
        // Jitter, so that callers that failed together do not come back together.
        longest.saturating_sub(Duration::from_millis(random % (half_ms + 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throttled(delay_ms: u64) -> Error {
        let delay = Some(Duration::from_millis(delay_ms));
        Error::new(ErrorKind::Throttled { delay }, "spent")
    }

    #[test]
    fn waits_double_up_to_their_maximum() {
        let policy = RetryPolicy::default();
        let waits: Vec<_> = (1..10).map(|attempt| policy.backoff(attempt, 0).as_millis()).collect();
        assert_eq!(waits, [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    }

    #[test]
    fn jitter_takes_away_at_most_half() {
        let policy = RetryPolicy::default();
        for random in [0, 1, 7, 24, 25, 26, u64::MAX] {
            let wait = policy.backoff(1, random).as_millis();
            assert!((25..=50).contains(&wait), "{random}: {wait}");
        }
        assert_eq!(policy.backoff(1, 25).as_millis(), 25);
    }

    #[test]
    fn the_delay_asked_for_is_honoured() {
        let policy = RetryPolicy::default();
        assert_eq!(policy.delay(&throttled(700), 1, 0, 0), Some(Duration::from_millis(700)));
        assert_eq!(policy.delay(&throttled(7), 1, 0, 0), Some(Duration::from_millis(50)));
        assert_eq!(policy.delay(&throttled(9_000), 1, 0, 0), Some(Duration::from_secs(9)));
    }

    #[test]
    fn attempts_and_time_are_bounded() {
        let policy = RetryPolicy::default();
        assert_eq!(policy.delay(&throttled(1), 6, 0, 0), None);
        assert_eq!(policy.delay(&throttled(1_000), 1, 29_001, 0), None);
        assert!(policy.delay(&throttled(1_000), 1, 29_000, 0).is_some());
        assert_eq!(RetryPolicy::NEVER.delay(&throttled(0), 1, 0, 0), None);
    }

    #[test]
    fn what_a_retry_cannot_change_is_not_tried_again() {
        let refusals = [ErrorKind::NotFound, ErrorKind::Conflict, ErrorKind::Precondition];
        for kind in refusals.into_iter().chain([ErrorKind::BadRequest, ErrorKind::Unauthorized]) {
            let error = Error::new(kind, "refused");
            assert_eq!(RetryPolicy::default().delay(&error, 1, 0, 0), None, "{kind:?}");
        }
    }
}
