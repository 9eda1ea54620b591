//! Request units of a physical partition over time: the busiest second of each hour.
//!
//! Owns the current second and the hours of the last month. Bounded: one entry per hour with any charge.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Hours kept: 31 days.
const HOURS_MAX: usize = 31 * 24;
const SECONDS_PER_HOUR: u64 = 3600;

/// What was spent in one hour, in parts of a request unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hour {
    /// Hours since 1970.
    pub(crate) hour: u64,
    /// Of its busiest second.
    pub(crate) peak_parts: u64,
    pub(crate) parts: u64,
    /// Seconds in which something was spent.
    pub(crate) busy_seconds: u64,
}

/// The spending of one physical partition over time.
#[derive(Debug, Default)]
pub(crate) struct ChargeSeries {
    second: AtomicU64,
    parts: AtomicU64,
    hours: Mutex<VecDeque<Hour>>,
}

impl ChargeSeries {
    /// Adds to the current second. At the border of two seconds a charge may count for either: the check and the
    /// addition are not atomic together, which keeps this path free of locks.
    pub(crate) fn add(&self, second: u64, parts: u64) {
        if self.second.load(Relaxed) == second {
            self.parts.fetch_add(parts, Relaxed);
        } else {
            self.begin_second(second, parts);
        }
    }

    fn begin_second(&self, second: u64, parts: u64) {
        let mut hours = self.hours.lock().unwrap_or_else(PoisonError::into_inner);
        // Read again under the lock, which only those take who begin a second.
        let before = self.second.load(Relaxed);
        if second <= before {
            // Another thread has begun this second, or the clock went back.
            self.parts.fetch_add(parts, Relaxed);
            return;
        }
        // The parts first: a thread that adds between these two lines counts for the new second a moment too early.
        let spent = self.parts.swap(parts, Relaxed);
        self.second.store(second, Relaxed);
        close_second(&mut hours, before, spent);
    }

    /// The hours so far, oldest first, including the current second.
    pub(crate) fn hours(&self) -> Vec<Hour> {
        let mut hours = self.hours.lock().unwrap_or_else(PoisonError::into_inner).clone();
        close_second(&mut hours, self.second.load(Relaxed), self.parts.load(Relaxed));
        hours.into()
    }
}

fn close_second(hours: &mut VecDeque<Hour>, second: u64, parts: u64) {
    if parts == 0 {
        return;
    }
    let number = second / SECONDS_PER_HOUR;
    // Hours come in order, because a second never goes back.
    if hours.back().is_none_or(|last| last.hour != number) {
        if hours.len() >= HOURS_MAX {
            hours.pop_front();
        }
        hours.push_back(Hour { hour: number, ..Hour::default() });
    }
    if let Some(last) = hours.back_mut() {
        last.peak_parts = last.peak_parts.max(parts);
        last.parts += parts;
        last.busy_seconds += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hour_keeps_its_busiest_second() {
        let series = ChargeSeries::default();
        for (second, parts) in [(7200, 5), (7200, 6), (7201, 3), (10_799, 8), (10_800, 1)] {
            series.add(second, parts);
        }
        let first = Hour { hour: 2, peak_parts: 11, parts: 22, busy_seconds: 3 };
        let second = Hour { hour: 3, peak_parts: 1, parts: 1, busy_seconds: 1 };
        assert_eq!(series.hours(), [first, second]);
        assert_eq!(series.hours(), [first, second], "reading changes nothing");
    }

    #[test]
    fn a_clock_that_goes_back_loses_nothing() {
        let series = ChargeSeries::default();
        series.add(7300, 5);
        series.add(7200, 6);
        assert_eq!(series.hours(), [Hour { hour: 2, peak_parts: 11, parts: 11, busy_seconds: 1 }]);
    }

    #[test]
    fn a_month_is_kept() {
        let series = ChargeSeries::default();
        for hour in 1..=1000 {
            series.add(hour * SECONDS_PER_HOUR, 1);
        }
        let hours = series.hours();
        assert_eq!(hours.len(), HOURS_MAX);
        assert_eq!(hours.last().map(|hour| hour.hour), Some(1000));
    }
}
