//! The dispatcher's health: degraded while it has had too many errors in the last minutes.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::domain::UtcTimestamp;

/// So many errors within the window make the dispatcher degraded.
const ERRORS_MAX: usize = 5;
const WINDOW: Duration = Duration::from_secs(5 * 60);

/// The last errors of the dispatcher in this process.
#[derive(Debug, Default)]
pub(crate) struct DispatcherHealth {
    /// At most [`ERRORS_MAX`], oldest first: older ones cannot change the answer.
    recent_errors: Mutex<VecDeque<(UtcTimestamp, String)>>,
}

impl DispatcherHealth {
    pub(crate) fn record_error(&self, at: UtcTimestamp, message: &str) {
        let mut errors = self.recent_errors.lock().unwrap_or_else(PoisonError::into_inner);
        errors.push_back((at, message.to_owned()));
        if errors.len() > ERRORS_MAX {
            errors.pop_front();
        }
    }

    /// The last error, if there were [`ERRORS_MAX`] within the window; `None` while the dispatcher is healthy.
    pub(crate) fn degraded_by(&self, now: UtcTimestamp) -> Option<String> {
        let errors = self.recent_errors.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = errors.iter().filter(|(at, _)| now.since(*at) < WINDOW).count();
        let (_, last) = errors.back().filter(|_| recent >= ERRORS_MAX)?;
        Some(last.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_errors_in_five_minutes_are_too_many() {
        let health = DispatcherHealth::default();
        let start = UtcTimestamp::from_ms(1_000_000);
        for minute in 0..4 {
            health.record_error(start.after(Duration::from_secs(60 * minute)), "no");
        }
        assert_eq!(health.degraded_by(start.after(Duration::from_secs(180))), None);
        health.record_error(start.after(Duration::from_secs(240)), "still no");
        let now = start.after(Duration::from_secs(240));
        assert_eq!(health.degraded_by(now), Some("still no".to_owned()));
        assert_eq!(health.degraded_by(start.after(Duration::from_secs(301))), None);
    }
}
