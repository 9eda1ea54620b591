//! Whether the dispatcher is well: errors of the last minutes.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::words::Moment;

/// Errors within the window that make it degraded.
const ERRORS_MAX: usize = 5;
const WINDOW: Duration = Duration::from_secs(5 * 60);

/// The errors of the last minutes, and what was done since the start.
#[derive(Debug, Default)]
pub struct Health {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    errors: VecDeque<(Moment, String)>,
    processed: u64,
    pushed: u64,
    failed: u64,
}

/// What was done since the start of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Events whose way ended.
    pub processed: u64,
    /// Pushes the providers took.
    pub pushed: u64,
    /// Attempts that failed.
    pub failed: u64,
}

impl Health {
    /// Notes an error.
    pub(crate) fn error(&self, at: Moment, message: &str) {
        let mut state = self.lock();
        state.failed += 1;
        state.errors.push_back((at, message.to_owned()));
        if state.errors.len() > ERRORS_MAX {
            state.errors.pop_front();
        }
    }

    pub(crate) fn processed(&self) {
        self.lock().processed += 1;
    }

    pub(crate) fn pushed(&self) {
        self.lock().pushed += 1;
    }

    /// What was done since the start.
    #[must_use]
    pub fn done(&self) -> Done {
        let state = self.lock();
        Done { processed: state.processed, pushed: state.pushed, failed: state.failed }
    }

    /// The last error when there were five or more in five minutes; none when it is well.
    #[must_use]
    pub fn degraded(&self, now: Moment) -> Option<String> {
        let state = self.lock();
        let recent = state.errors.iter().filter(|(at, _)| now.since(*at) < WINDOW).count();
        let last = state.errors.back().map(|(_, message)| message.clone());
        if recent >= ERRORS_MAX { last } else { None }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_errors_in_five_minutes_are_too_many() {
        let health = Health::default();
        let start = Moment::from_ms(1_000_000);
        for minute in 0..4 {
            health.error(start.after(Duration::from_secs(60 * minute)), "no");
        }
        assert_eq!(health.degraded(start.after(Duration::from_secs(180))), None);
        health.error(start.after(Duration::from_secs(240)), "still no");
        let now = start.after(Duration::from_secs(240));
        assert_eq!(health.degraded(now), Some("still no".to_owned()));
        assert_eq!(health.degraded(start.after(Duration::from_secs(301))), None);
    }
}
