//! A budget of request units per second, for everything a copy does on both sides together.
//!
//! Owns when the next request may be sent. What a request costs is known only afterwards, so one is sent when the
//! budget has not been overdrawn, and the next waits until its charge is earned. At most one second is saved up.

use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use client::Environment;

const SAVED_MAX: Duration = Duration::from_secs(1);

pub(super) struct Pace {
    per_second: Option<NonZeroU32>,
    environment: Environment,
    spending: Mutex<Spending>,
}

#[derive(Default)]
struct Spending {
    /// On the stopwatch: when everything spent so far is earned.
    earned_at: Duration,
    total: f64,
}

impl Pace {
    pub(super) fn new(per_second: Option<NonZeroU32>, environment: Environment) -> Self {
        let earned_at = environment.stopwatch();
        let spending = Mutex::new(Spending { earned_at, total: 0.0 });
        Self { per_second, environment, spending }
    }

    /// Waits until a request may be sent.
    pub(super) async fn wait(&self) {
        if self.per_second.is_none() {
            return;
        }
        let now = self.environment.stopwatch();
        let wait = self.lock().earned_at.saturating_sub(now);
        if wait > Duration::ZERO {
            self.environment.sleep(wait).await;
        }
    }

    /// Counts what a request cost.
    pub(super) fn pay(&self, charge: f64) {
        let now = self.environment.stopwatch();
        let mut spending = self.lock();
        spending.total += charge;
        let Some(per_second) = self.per_second else { return };
        let from = spending.earned_at.max(now.saturating_sub(SAVED_MAX));
        // Charges are small and never negative; anything else must not stop a copy.
        let cost = Duration::try_from_secs_f64(charge / f64::from(per_second.get()));
        spending.earned_at = from.saturating_add(cost.unwrap_or_default());
    }

    /// Everything paid so far.
    pub(super) fn total(&self) -> f64 {
        self.lock().total
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Spending> {
        self.spending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
