//! A budget of request units per second, for both sides of a copy together.
//!
//! Owns when the next request may be sent. The charge of a request is known only afterwards, so a request is sent if
//! the budget is not overdrawn, and the next one waits until the charge is paid back. At most one second of unused
//! budget is saved, so that a copy that waited for the network does not continue with a burst.

use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use client::Environment;

const SAVED_MAX: Duration = Duration::from_secs(1);

pub(super) struct RequestUnitPacer {
    per_second: Option<NonZeroU32>,
    environment: Environment,
    state: Mutex<PacerState>,
}

#[derive(Default)]
struct PacerState {
    /// The time on the stopwatch at which everything spent so far is paid back.
    paid_back_at: Duration,
    total: f64,
}

impl RequestUnitPacer {
    pub(super) fn new(per_second: Option<NonZeroU32>, environment: Environment) -> Self {
        let paid_back_at = environment.stopwatch();
        let state = Mutex::new(PacerState { paid_back_at, total: 0.0 });
        Self { per_second, environment, state }
    }

    /// Waits until a request may be sent.
    pub(super) async fn wait(&self) {
        if self.per_second.is_none() {
            return;
        }
        let now = self.environment.stopwatch();
        // The lock is released before the sleep. Several callers may wake together and overdraw once more; the next
        // ones then wait longer.
        let wait = self.lock().paid_back_at.saturating_sub(now);
        if wait > Duration::ZERO {
            self.environment.sleep(wait).await;
        }
    }

    /// Records the charge of a request.
    pub(super) fn pay(&self, charge: f64) {
        let now = self.environment.stopwatch();
        let mut state = self.lock();
        state.total += charge;
        let Some(per_second) = self.per_second else { return };
        // A deadline in the past is unused budget. At most one second of it counts.
        let from = state.paid_back_at.max(now.saturating_sub(SAVED_MAX));
        // Charges are small and never negative. If one is not, it must not stop the copy.
        let cost = Duration::try_from_secs_f64(charge / f64::from(per_second.get()));
        state.paid_back_at = from.saturating_add(cost.unwrap_or_default());
    }

    /// All charges so far.
    pub(super) fn total(&self) -> f64 {
        self.lock().total
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, PacerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
