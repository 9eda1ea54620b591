//! The budget of one request.
//!
//! Owns its deadline, its units of work, its cancellation, and what happens at the end of a slice, which depends on
//! where the evaluation runs. Does not count units: evaluation does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use ::query::{Interruption, SLICE_UNITS, WorkGovernor};

use super::pool::EvaluationPool;
use crate::environment::Environment;
use crate::error::{Error, ErrorKind};

/// On a task of the runtime: one slice, then the evaluation is interrupted and goes on elsewhere.
const ON_TASK: u8 = 0;
/// On a thread of its own: slice after slice, each with its turn.
const ON_THREAD: u8 = 1;
/// On a task of the runtime, for work that is known to be short: slice after slice.
const SHORT: u8 = 2;

/// The budget of one request, shared by all of its evaluations.
#[derive(Debug)]
pub(crate) struct RequestWork {
    pool: Arc<EvaluationPool>,
    environment: Environment,
    place: AtomicU8,
    /// Whether a task has a slice that was not begun.
    has_slice: AtomicBool,
    is_cancelled: AtomicBool,
    units_left: AtomicU64,
    started: Duration,
    time_max: Option<Duration>,
}

impl RequestWork {
    pub(crate) fn new(
        pool: &Arc<EvaluationPool>,
        environment: &Environment,
        time_max: Option<Duration>,
        units_max: u64,
    ) -> Arc<Self> {
        Arc::new(Self {
            pool: Arc::clone(pool),
            environment: environment.clone(),
            place: AtomicU8::new(ON_TASK),
            has_slice: AtomicBool::new(true),
            is_cancelled: AtomicBool::new(false),
            units_left: AtomicU64::new(units_max),
            started: environment.stopwatch(),
            time_max,
        })
    }

    /// Allows a task one more slice, after it has yielded to other tasks.
    pub(crate) fn begin_slice(&self) {
        self.has_slice.store(true, Ordering::Relaxed);
    }

    /// Lets the evaluation go on where it is: the rest is short.
    pub(crate) fn allow_rest(&self) {
        self.place.store(SHORT, Ordering::Relaxed);
    }

    /// The time limit of the request.
    pub(crate) fn time_max(&self) -> Option<Duration> {
        self.time_max
    }

    /// How much time is left; `None` without a limit.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        let elapsed = self.environment.stopwatch().saturating_sub(self.started);
        self.time_max.map(|time_max| time_max.saturating_sub(elapsed))
    }

    /// The error of a request that has used up its time or work, and has nothing to return.
    pub(crate) fn out_of_time(&self) -> Error {
        let limit = match self.time_max {
            Some(time_max) => format!("{} ms, or its limit of work,", time_max.as_millis()),
            None => "its limit of work".to_owned(),
        };
        Error::new(
            ErrorKind::OutOfTime,
            format!(
                "Request timed out: the query took longer than {limit} and has no rows to begin with. Add filters, \
                 join fewer arrays, or allow more."
            ),
        )
    }

    pub(super) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Takes the first turn on a thread. A request that is no longer wanted takes none: its first slice is refused.
    pub(super) fn enter_thread(&self) {
        self.place.store(ON_THREAD, Ordering::Relaxed);
        if !self.pool.turns.take(|| self.check().is_ok()) {
            self.place.store(ON_TASK, Ordering::Relaxed);
            self.has_slice.store(false, Ordering::Relaxed);
        }
    }

    /// Ends the last turn.
    pub(super) fn leave_thread(&self) {
        if self.place.swap(ON_TASK, Ordering::Relaxed) == ON_THREAD {
            self.pool.turns.give_back();
        }
        self.has_slice.store(true, Ordering::Relaxed);
    }

    /// Whether the request may go on.
    fn check(&self) -> Result<(), Interruption> {
        if self.is_cancelled.load(Ordering::Relaxed) {
            return Err(Interruption::Cancelled);
        }
        match self.time_left() {
            Some(time_left) if time_left.is_zero() => Err(Interruption::OutOfTime),
            _ => Ok(()),
        }
    }

    fn take_units(&self) -> Result<u64, Interruption> {
        self.pool.count_slice();
        let take = |left: u64| (left > 0).then(|| left.saturating_sub(SLICE_UNITS));
        match self.units_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
            Ok(left) => Ok(left.min(SLICE_UNITS)),
            Err(_) => Err(Interruption::OutOfWork),
        }
    }

    /// Lets a waiting request have its turn, and waits for the next one.
    fn pass_turn(&self) -> Result<(), Interruption> {
        let turns = &self.pool.turns;
        if !turns.has_waiting() {
            return Ok(());
        }
        turns.give_back();
        if turns.take(|| self.check().is_ok()) {
            return Ok(());
        }
        // The turn was not taken, so that `leave_thread` must not give one back.
        self.place.store(ON_TASK, Ordering::Relaxed);
        self.has_slice.store(false, Ordering::Relaxed);
        Err(self.check().err().unwrap_or(Interruption::Cancelled))
    }
}

// Relaxed throughout: one thread evaluates at a time, and handing an evaluation over to a thread and back synchronizes
// by the channel. Only the cancellation is read concurrently, and may be seen a slice late.
impl WorkGovernor for RequestWork {
    fn next_slice(&self, _granted: u64) -> Result<u64, Interruption> {
        match self.place.load(Ordering::Relaxed) {
            // Not `check`: an interrupted evaluation must not be mistaken for one that goes on elsewhere.
            ON_TASK if !self.has_slice.swap(false, Ordering::Relaxed) => {
                return Err(self.check().err().unwrap_or(Interruption::SliceEnded));
            }
            ON_THREAD => {
                self.check()?;
                self.pass_turn()?;
            }
            _ => {}
        }
        self.take_units()
    }

    fn allow_bytes(&self, bytes: usize) -> Result<(), Interruption> {
        if self.pool.take_memory(bytes) { Ok(()) } else { Err(Interruption::MemoryInUse) }
    }

    fn return_bytes(&self, bytes: usize) {
        self.pool.return_memory(bytes);
    }
}
