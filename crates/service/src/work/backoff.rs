//! Exponential back-off with jitter. Pure: the caller passes the random number.

use std::time::Duration;

/// Delays that double with every consecutive failure. Jitter only lengthens them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The delay after the first failure.
    pub first: Duration,
    /// The maximum delay, before jitter.
    pub longest: Duration,
    /// A delay is longer by a random share of up to this percentage, so that items that failed together are not retried
    /// together.
    pub jitter_percent: u32,
}

impl Default for Backoff {
    fn default() -> Self {
        let (first, longest) = (Duration::from_secs(120), Duration::from_secs(3600));
        Self { first, longest, jitter_percent: 10 }
    }
}

impl Backoff {
    /// The delay after this many consecutive failures, at least one.
    #[must_use]
    pub fn delay(&self, failures: u32, random: u64) -> Duration {
        // A shift by 32 or more has no value; `longest` cuts what replaces it.
        let doubled = 1_u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX);
        let delay = self.first.saturating_mul(doubled).min(self.longest);
        delay + jitter(delay, self.jitter_percent, random)
    }
}

/// A random share of a duration, up to this percentage.
pub(super) fn jitter(of: Duration, percent: u32, random: u64) -> Duration {
    let most_ms = u64::try_from(of.as_millis() * u128::from(percent) / 100).unwrap_or(u64::MAX);
    Duration::from_millis(random % most_ms.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_powers_of_two_up_to_the_longest() {
        let backoff = Backoff::default();
        let minutes: Vec<u64> = (1..=7).map(|n| backoff.delay(n, 0).as_secs() / 60).collect();
        assert_eq!(minutes, [2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(backoff.delay(u32::MAX, 0), backoff.longest);
        assert_eq!(backoff.delay(0, 0), backoff.first);
    }

    #[test]
    fn jitter_adds_up_to_its_share_and_takes_nothing_away() {
        let backoff = Backoff::default();
        for random in [0, 1, 11_999, 12_000, 12_001, u64::MAX] {
            let wait = backoff.delay(1, random);
            assert!((120_000..=132_000).contains(&wait.as_millis()), "{random}: {wait:?}");
        }
        assert_eq!(backoff.delay(1, 12_000).as_millis(), 132_000);
    }
}
