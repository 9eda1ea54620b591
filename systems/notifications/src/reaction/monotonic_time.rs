//! Strictly increasing creation times for the notifications of one user.
//!
//! The list is sorted by creation time in milliseconds. Two notifications of one user within the same millisecond would
//! be in no particular order, so the second one gets the next millisecond.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::domain::{UserId, UtcTimestamp};

/// Below this number of users, none is removed.
const USERS_MIN: usize = 1_024;

/// The last creation time given to each user by this worker.
#[derive(Debug, Default)]
pub(super) struct MonotonicTimes {
    last_times: Mutex<LastTimes>,
}

#[derive(Debug, Default)]
struct LastTimes {
    by_user: HashMap<UserId, UtcTimestamp>,
    /// Users whose time has passed are removed when there are so many.
    cleanup_at: usize,
}

impl MonotonicTimes {
    /// The creation time of the user's next notification: now, or a millisecond after the previous one if that is
    /// later.
    pub(super) fn next(&self, user: &UserId, now: UtcTimestamp) -> UtcTimestamp {
        let mut times = self.last_times.lock().unwrap_or_else(PoisonError::into_inner);
        let after = |last: &UtcTimestamp| last.after(Duration::from_millis(1));
        let time = times.by_user.get(user).map_or(now, |last| after(last).max(now));
        if times.by_user.len() >= times.cleanup_at {
            // A time in the past no longer constrains anything. Doubling the threshold keeps the cost per call
            // constant.
            times.by_user.retain(|_, last| *last >= now);
            times.cleanup_at = USERS_MIN.max(2 * times.by_user.len());
        }
        times.by_user.insert(user.clone(), time);
        time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(number: usize) -> UserId {
        UserId::parse(number.to_string()).unwrap()
    }

    #[test]
    fn times_of_one_user_increase_and_users_do_not_affect_each_other() {
        let times = MonotonicTimes::default();
        let now = UtcTimestamp::from_ms(1_000);
        let given = [0, 0, 1, 0].map(|number| times.next(&user(number), now).ms());
        assert_eq!(given, [1_000, 1_001, 1_000, 1_002]);
        assert_eq!(times.next(&user(0), UtcTimestamp::from_ms(5_000)).ms(), 5_000);
    }

    #[test]
    fn users_are_removed_when_the_clock_has_passed_their_time() {
        let times = MonotonicTimes::default();
        for number in 0..10 * USERS_MIN {
            times.next(&user(number), UtcTimestamp::from_ms(number as u64));
        }
        assert!(times.last_times.lock().unwrap().by_user.len() <= USERS_MIN);
    }
}
