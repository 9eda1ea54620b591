//! A small seeded generator for faults and crashes.
//!
//! Owns repeatable choices. Does not own anything that must be hard to guess: never use it for keys or tokens.

use std::sync::{Mutex, PoisonError};

/// SplitMix64: one addition and three mixing steps per number; every seed is a good seed.
#[derive(Debug)]
pub(crate) struct Dice {
    state: Mutex<u64>,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: Mutex::new(seed) }
    }

    pub(crate) fn number(&self) -> u64 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from zero to `max`, both included.
    pub(crate) fn up_to(&self, max: u64) -> u64 {
        match max.checked_add(1) {
            Some(count) => self.number() % count,
            None => self.number(),
        }
    }

    /// True in `parts_per_million` of a million cases.
    pub(crate) fn happens(&self, parts_per_million: u32) -> bool {
        self.number() % 1_000_000 < u64::from(parts_per_million)
    }
}
