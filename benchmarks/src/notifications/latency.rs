//! Measures the time from the response to an enqueue until the notification appears in the list.
//!
//! Also paces the events. Events without a list entry of their own are not counted.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::side::Latency;
use crate::meter::now;
use crate::{Error, Result};

/// Records the two times of each event.
pub(super) struct LatencyRecorder {
    numbers: Range<u64>,
    next: AtomicU64,
    began: Instant,
    every: Duration,
    answered: Vec<OnceLock<Instant>>,
    seen: Vec<OnceLock<Instant>>,
}

impl LatencyRecorder {
    /// Starts now, with a rate of events per second.
    pub(super) fn begin(numbers: Range<u64>, per_second: f64) -> Self {
        let count = usize::try_from(numbers.end - numbers.start).unwrap_or_default();
        let times = || (0..count).map(|_| OnceLock::new()).collect();
        Self {
            next: AtomicU64::new(numbers.start),
            numbers,
            began: now(),
            every: Duration::from_secs_f64(1.0 / per_second.max(1e-3)),
            answered: times(),
            seen: times(),
        }
    }

    /// The next event to enqueue, and how long to wait until it is due.
    pub(super) fn next(&self) -> Option<(u64, Duration)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number >= self.numbers.end {
            return None;
        }
        let index = u32::try_from(number - self.numbers.start).unwrap_or(u32::MAX);
        let due = self.began + self.every * index;
        Some((number, due.saturating_duration_since(now())))
    }

    /// Records the response to an enqueue.
    pub(super) fn answered(&self, number: u64) {
        self.set(&self.answered, number);
    }

    /// Records that the notification is in the list. Only the first time counts.
    pub(super) fn seen(&self, number: u64) {
        self.set(&self.seen, number);
    }

    fn set(&self, moments: &[OnceLock<Instant>], number: u64) {
        let place = number.checked_sub(self.numbers.start).and_then(|at| usize::try_from(at).ok());
        if let Some(moment) = place.and_then(|place| moments.get(place)) {
            moment.get_or_init(now);
        }
    }

    /// The latencies.
    pub(super) fn latency(&self) -> Result<Latency> {
        let both = self.answered.iter().zip(&self.seen);
        // A worker may be faster than the response; the latency is zero then.
        let taken = both.filter_map(|(answered, seen)| {
            Some(seen.get()?.saturating_duration_since(*answered.get()?))
        });
        let mut taken: Vec<_> = taken.collect();
        taken.sort_unstable();
        let at = |percent: usize| {
            let place = (taken.len() * percent).div_ceil(100).saturating_sub(1);
            taken.get(place).map(|taken| taken.as_secs_f64() * 1e3)
        };
        match (at(50), at(99)) {
            (Some(p50_ms), Some(p99_ms)) => {
                Ok(Latency { p50_ms, p99_ms, seen: taken.len() as u64 })
            }
            _ => Err(Error::from("no notification was seen while events came in")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_at_their_pace_and_only_those_seen_count() {
        let moments = LatencyRecorder::begin(100..103, 1_000.0);
        let mut numbers = Vec::new();
        while let Some((number, wait)) = moments.next() {
            assert!(wait <= Duration::from_millis(2));
            numbers.push(number);
            moments.answered(number);
        }
        assert_eq!(numbers, [100, 101, 102]);
        assert!(moments.latency().is_err());
        for number in [99, 101, 103] {
            moments.seen(number);
        }
        let latency = moments.latency().unwrap();
        assert_eq!(latency.seen, 1);
        assert!(latency.p50_ms >= 0.0 && latency.p99_ms >= latency.p50_ms);
    }
}
