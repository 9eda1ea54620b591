//! The seeded random generator behind injected faults and crashes.
//!
//! Owns repeatable choices: the same seed and the same order of calls give the same numbers. Does not own anything that
//! must be hard to guess: never use it for keys or tokens.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A seeded generator that several tasks may share.
#[derive(Debug)]
pub(crate) struct SeededRng {
    rng: Mutex<fastrand::Rng>,
}

impl SeededRng {
    pub(crate) fn new(seed: u64) -> Self {
        Self { rng: Mutex::new(fastrand::Rng::with_seed(seed)) }
    }

    /// A number from zero to `max`, both included.
    pub(crate) fn up_to(&self, max: u64) -> u64 {
        self.lock().u64(..=max)
    }

    /// True with a probability of so many parts per million.
    pub(crate) fn chance(&self, parts_per_million: u32) -> bool {
        self.lock().u32(..1_000_000) < parts_per_million
    }

    fn lock(&self) -> MutexGuard<'_, fastrand::Rng> {
        self.rng.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
