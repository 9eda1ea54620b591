//! A limit of units per second: requests to a platform, request units of the account.
//!
//! Owns when the next one may start. Callers of all workers of a process share one.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use client::Environment;

/// A limit of units per second.
pub(crate) struct Pace {
    /// 0 for no limit.
    per_second: u32,
    /// When the units that were taken are over.
    free_at: Mutex<Duration>,
}

impl Pace {
    pub(crate) fn new(per_second: u32) -> Self {
        Self { per_second, free_at: Mutex::new(Duration::ZERO) }
    }

    /// Takes units, and waits until those that were taken before are over.
    pub(crate) async fn take(&self, units: f64, environment: &Environment) {
        if self.per_second == 0 {
            return;
        }
        let takes = Duration::from_secs_f64(units.max(0.0) / f64::from(self.per_second));
        let now = environment.stopwatch();
        let begin = {
            let mut free_at = self.free_at.lock().unwrap_or_else(PoisonError::into_inner);
            let begin = now.max(*free_at);
            *free_at = begin + takes;
            begin
        };
        if begin > now {
            environment.sleep(begin - now).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use client::{TimestampMs, TravellingClock};
    use std::sync::Arc;

    #[tokio::test]
    async fn what_is_taken_delays_the_next_and_no_limit_delays_nobody() {
        let clock = TravellingClock::starting_at(TimestampMs(1_000));
        let environment = Environment::travelling(Arc::clone(&clock), 7);
        let (begin, pace) = (environment.stopwatch(), Pace::new(100));
        pace.take(250.0, &environment).await;
        assert_eq!(environment.stopwatch(), begin);
        pace.take(50.0, &environment).await;
        assert_eq!(environment.stopwatch() - begin, Duration::from_millis(2_500));
        pace.take(1.0, &environment).await;
        assert_eq!(environment.stopwatch() - begin, Duration::from_secs(3));
        Pace::new(0).take(1e9, &environment).await;
        assert_eq!(environment.stopwatch() - begin, Duration::from_secs(3));
    }
}
