//! When a failed call is tried again, and after how long.
//!
//! Owns the policy. It is pure: time and randomness come with the question. Does not own which writes may be repeated
//! (`call/request`).

use std::time::Duration;

use crate::error::{Error, ErrorKind};

/// How throttled and unavailable calls are tried again. Waits grow by doubling, each is drawn between half of it and
/// all of it, and none is shorter than the delay the account asked for.
///
/// A connected account has the retries of the official library below these, for the failures it knows about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts of one call, the first included.
    pub attempts_max: u32,
    /// The wait after the first attempt, before it is drawn.
    pub first_delay: Duration,
    /// No wait grows beyond this. A longer one the account asks for is still honoured.
    pub delay_max: Duration,
    /// A call that would wait beyond this, counted from its first failure, fails instead.
    pub elapsed_max: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts_max: 6,
            first_delay: Duration::from_millis(50),
            delay_max: Duration::from_secs(5),
            elapsed_max: Duration::from_secs(30),
        }
    }
}

impl RetryPolicy {
    /// Every call is tried once.
    pub const NEVER: Self = Self {
        attempts_max: 1,
        first_delay: Duration::ZERO,
        delay_max: Duration::ZERO,
        elapsed_max: Duration::ZERO,
    };

    /// How long to wait after attempt number `attempt` failed so, `spent_ms` after the first failure; none to give up.
    pub(crate) fn delay(
        &self,
        error: &Error,
        attempt: u32,
        spent_ms: u64,
        random: u64,
    ) -> Option<Duration> {
        let asked = match error.kind() {
            ErrorKind::Throttled { delay } => delay.unwrap_or_default(),
            ErrorKind::Unavailable => Duration::ZERO,
            _ => return None,
        };
        if attempt >= self.attempts_max {
            return None;
        }
        let delay = self.backoff(attempt, random).max(asked);
        (Duration::from_millis(spent_ms) + delay <= self.elapsed_max).then_some(delay)
    }

    /// The wait after attempt number `attempt`, drawn by `random`.
    pub(crate) fn backoff(&self, attempt: u32, random: u64) -> Duration {
        let doubled = 1u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
        let most = self.first_delay.saturating_mul(doubled).min(self.delay_max);
        let half_ms = u64::try_from(most.as_millis() / 2).unwrap_or(u64::MAX);
        most.saturating_sub(Duration::from_millis(random % (half_ms + 1)))
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
