//! The cost of each tenth of a backlog, sampled while it is processed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::mix::TENTHS;
use super::side::SidePace;
use crate::meter::{TimeSpent, now};
use crate::{Error, Result};

/// One tenth of the backlog.
#[derive(Clone, Copy, Debug)]
pub struct Tenth {
    /// Events per second.
    pub per_second: f64,
    /// Processor time per event.
    pub cpu_us: f64,
    /// Request units per event, without reading the change feed and without leases; none for the other side.
    pub request_units: Option<f64>,
}

/// What a side has spent so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpendSample {
    pub(super) at: Instant,
    pub(super) cpu: Duration,
    pub(super) request_units: Option<f64>,
}

/// Counts ends of events.
pub(super) struct Tenths<S> {
    events: u64,
    ended: AtomicU64,
    sample: S,
    samples: Mutex<Vec<Result<SpendSample>>>,
}

impl<S: Fn() -> Result<SpendSample>> Tenths<S> {
    /// Begins before the first event.
    pub(super) fn begin(events: u64, sample: S) -> Self {
        let samples = Mutex::new(vec![sample()]);
        Self { events, ended: AtomicU64::new(0), sample, samples }
    }

    /// One event has ended.
    pub(super) fn ended(&self) {
        let ended = self.ended.fetch_add(1, Ordering::Relaxed) + 1;
        let tenths = |ended: u64| ended * TENTHS / self.events.max(1);
        if ended <= self.events && tenths(ended) > tenths(ended - 1) {
            let sample = (self.sample)();
            self.lock().push(sample);
        }
    }

    /// How many have.
    pub(super) fn count(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }

    /// All tenths; an error when there were less.
    pub(super) fn tenths(&self) -> Result<Vec<Tenth>> {
        let mut samples = Vec::new();
        for sample in self.lock().drain(..) {
            samples.push(sample?);
        }
        samples.sort_by_key(|sample| sample.at);
        let tenths: Vec<_> = samples
            .windows(2)
            .filter_map(|pair| match pair {
                [before, after] => Some(self.tenth(before, after)),
                _ => None,
            })
            .collect();
        if tenths.len() as u64 == TENTHS {
            Ok(tenths)
        } else {
            Err(Error::from(format!("{} tenths of the backlog were seen", tenths.len())))
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts stay far below what a double holds")]
    fn tenth(&self, before: &SpendSample, after: &SpendSample) -> Tenth {
        let wall = after.at.saturating_duration_since(before.at);
        let spent = TimeSpent { wall, cpu: after.cpu.saturating_sub(before.cpu) };
        let events = self.events / TENTHS;
        let SidePace { per_second, cpu_us } = SidePace::of(events, spent);
        let units = before.request_units.zip(after.request_units);
        let request_units = units.map(|(before, after)| (after - before) / events as f64);
        Tenth { per_second, cpu_us, request_units }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Result<SpendSample>>> {
        self.samples.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SpendSample {
    pub(super) fn now(cpu: Duration, request_units: Option<f64>) -> Self {
        Self { at: now(), cpu, request_units }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backlog_has_ten_tenths_and_more_ends_do_not_matter() {
        let units = AtomicU64::new(0);
        let sample = || {
            let units = f64::from(u32::try_from(units.load(Ordering::Relaxed)).unwrap());
            Ok(SpendSample::now(Duration::ZERO, Some(units)))
        };
        let tenths = Tenths::begin(1_000, sample);
        for _ in 0..1_200 {
            units.fetch_add(3, Ordering::Relaxed);
            tenths.ended();
        }
        let tenths = tenths.tenths().unwrap();
        assert_eq!(tenths.len(), 10);
        assert!(tenths.iter().all(|tenth| tenth.request_units == Some(3.0)), "{tenths:?}");
    }

    #[test]
    fn a_backlog_that_was_not_worked_off_is_an_error() {
        let tenths = Tenths::begin(1_000, || Ok(SpendSample::now(Duration::ZERO, None)));
        for _ in 0..999 {
            tenths.ended();
        }
        assert!(tenths.tenths().is_err());
    }
}
