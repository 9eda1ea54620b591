//! Times of a user's notifications that differ: a list in the order of time is then in the order of events.
//!
//! Owns the last time given to each user, for as long as it may be needed: until the clock is past it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::words::{Moment, UserId};

/// Users remembered before those are forgotten whose last time has passed.
const USERS_MIN: usize = 1_024;

/// The times given last.
#[derive(Debug, Default)]
pub(super) struct Order {
    given: Mutex<Given>,
}

#[derive(Debug, Default)]
struct Given {
    last: HashMap<UserId, Moment>,
    users_max: usize,
}

impl Order {
    /// The time of the user's next notification: now, or as soon after the one before as can be told apart.
    pub(super) fn next(&self, user: &UserId, now: Moment) -> Moment {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let after = |last: &Moment| last.after(Duration::from_millis(1));
        let at = given.last.get(user).map_or(now, |last| after(last).max(now));
        if given.last.len() >= given.users_max {
            given.last.retain(|_, last| *last >= now);
            given.users_max = USERS_MIN.max(2 * given.last.len());
        }
        given.last.insert(user.clone(), at);
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(number: usize) -> UserId {
        UserId::parse(number.to_string()).unwrap()
    }

    #[test]
    fn times_of_a_user_differ_and_those_of_others_need_not() {
        let order = Order::default();
        let now = Moment::from_ms(1_000);
        let given = [0, 0, 1, 0].map(|number| order.next(&user(number), now).ms());
        assert_eq!(given, [1_000, 1_001, 1_000, 1_002]);
        assert_eq!(order.next(&user(0), Moment::from_ms(5_000)).ms(), 5_000);
    }

    #[test]
    fn users_are_forgotten_when_the_clock_has_passed_their_time() {
        let order = Order::default();
        for number in 0..10 * USERS_MIN {
            order.next(&user(number), Moment::from_ms(number as u64));
        }
        assert!(order.given.lock().unwrap().last.len() <= USERS_MIN);
    }
}
