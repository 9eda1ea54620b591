//! Who grants work and memory.
//!
//! Owns the trait between evaluation and the engine, and the simplest governor: a fixed amount of work. The engine's
//! governor adds a deadline, cancellation and turns between requests.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use super::SLICE_UNITS;

/// Grants work in slices and memory in bytes. All evaluations of one request share one governor.
pub trait WorkGovernor: fmt::Debug + Send + Sync {
    /// Called when the granted units are spent, with the number of units that this evaluation was granted so far:
    /// returns the units of the next slice. May block the thread until it is the request's turn.
    ///
    /// # Errors
    /// Why there is no further slice.
    fn next_slice(&self, granted: u64) -> Result<u64, Interruption>;

    /// Allows a request more memory beyond what every request has.
    ///
    /// # Errors
    /// If the memory shared by all requests is in use.
    fn allow_bytes(&self, bytes: usize) -> Result<(), Interruption>;

    /// Takes back memory that was allowed.
    fn return_bytes(&self, bytes: usize);
}

/// Why evaluation was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// The slice is spent and the caller must decide where evaluation goes on; the item can be pushed again.
    SliceEnded,
    /// The time of the request is over.
    OutOfTime,
    /// The work of the request is done: it may spend no more units.
    OutOfWork,
    /// Nobody waits for the result any more.
    Cancelled,
    /// Other requests use the memory that all share.
    MemoryInUse,
}

/// A governor that allows a fixed number of units, and any memory.
#[derive(Debug)]
pub struct WorkLimit {
    units_left: AtomicU64,
}

impl WorkLimit {
    /// Allows this many units.
    #[must_use]
    pub fn new(units_max: u64) -> Self {
        Self { units_left: AtomicU64::new(units_max) }
    }
}

impl WorkGovernor for WorkLimit {
    fn next_slice(&self, _granted: u64) -> Result<u64, Interruption> {
        let take = |left: u64| (left > 0).then(|| left.saturating_sub(SLICE_UNITS));
        // Relaxed: the counter orders nothing else, and each unit is taken once by the read-modify-write itself.
        match self.units_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
            Ok(left) => Ok(left.min(SLICE_UNITS)),
            Err(_) => Err(Interruption::OutOfWork),
        }
    }

    fn allow_bytes(&self, _bytes: usize) -> Result<(), Interruption> {
        Ok(())
    }

    fn return_bytes(&self, _bytes: usize) {}
}

/// A governor that allows each evaluation the same number of units, however many there are. What an evaluation is then
/// refused depends on nothing but its values.
#[derive(Clone, Copy, Debug)]
pub struct EachWorkLimit {
    /// The units of one evaluation.
    pub units_max: u64,
}

impl WorkGovernor for EachWorkLimit {
    fn next_slice(&self, granted: u64) -> Result<u64, Interruption> {
        if granted == 0 { Ok(self.units_max) } else { Err(Interruption::OutOfWork) }
    }

    fn allow_bytes(&self, _bytes: usize) -> Result<(), Interruption> {
        Ok(())
    }

    fn return_bytes(&self, _bytes: usize) {}
}
