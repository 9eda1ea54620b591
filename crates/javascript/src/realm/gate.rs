//! The gate of a running script: whether it may go on.
//!
//! Owns the decision that QuickJS asks for every few thousand steps. Does not own the clock: the engine passes it in.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use engine::script_runtime::{ScriptFailure, ScriptFailureKind, ScriptLimits, ScriptMeter};

/// How often a script is asked at most. It ends scripts under a clock that does not move by itself; at 10,000 steps
/// between two questions, a script reaches its time limit long before.
const QUESTIONS_MAX: u64 = 100_000;

const RUNS: u8 = 0;
const OUT_OF_TIME: u8 = 1;
const CANCELLED: u8 = 2;

/// Decides whether a script may go on, and remembers why not.
pub(crate) struct InterruptGate {
    meter: Arc<dyn ScriptMeter>,
    pub(crate) limits: ScriptLimits,
    questions: AtomicU64,
    /// When the call began, in nanoseconds of the meter.
    began: AtomicU64,
    end: AtomicU8,
}

impl InterruptGate {
    pub(crate) fn new(limits: ScriptLimits, meter: Arc<dyn ScriptMeter>) -> Arc<Self> {
        let (questions, began) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(Self { meter, limits, questions, began, end: AtomicU8::new(RUNS) })
    }

    /// A gate for compiling, during which no script runs.
    pub(super) fn without_clock(limits: ScriptLimits) -> Arc<Self> {
        Self::new(limits, Arc::new(StoppedMeter))
    }

    /// Begins a call with a time of its own: the limits are those of one call, not of all of them.
    pub(crate) fn begin_call(&self) {
        let now = u64::try_from(self.meter.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.began.store(now, Ordering::Relaxed);
        self.questions.store(0, Ordering::Relaxed);
    }

    fn elapsed(&self) -> Duration {
        let began = Duration::from_nanos(self.began.load(Ordering::Relaxed));
        self.meter.elapsed().saturating_sub(began)
    }

    /// Whether the script must end now.
    pub(crate) fn must_end(&self) -> bool {
        let questions = self.questions.fetch_add(1, Ordering::Relaxed);
        let end = if self.meter.is_cancelled() {
            CANCELLED
        } else if questions >= QUESTIONS_MAX || self.elapsed() >= self.limits.time_max {
            OUT_OF_TIME
        } else {
            RUNS
        };
        if end != RUNS {
            self.end.store(end, Ordering::Relaxed);
        }
        end != RUNS
    }

    /// Whether an operation is still accepted: a script has the last fifth of its time to come to its end.
    pub(crate) fn accepts(&self) -> bool {
        self.elapsed() < self.limits.time_max.mul_f64(0.8)
    }

    /// Why the script was ended, if it was.
    pub(crate) fn ended(&self) -> Option<ScriptFailure> {
        let (kind, message) = match self.end.load(Ordering::Relaxed) {
            OUT_OF_TIME => (
                ScriptFailureKind::OutOfTime,
                format!(
                    "The script exceeded its time of {} ms. Do less per call: stop when an operation is not accepted, \
                     and continue in another call.",
                    self.limits.time_max.as_millis()
                ),
            ),
            CANCELLED => (ScriptFailureKind::Cancelled, "The request was cancelled.".to_owned()),
            _ => return None,
        };
        Some(ScriptFailure { kind, message })
    }
}

/// A clock that does not move.
struct StoppedMeter;

impl ScriptMeter for StoppedMeter {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn is_cancelled(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    struct SetMeter(Mutex<Duration>);

    impl ScriptMeter for SetMeter {
        fn elapsed(&self) -> Duration {
            *self.0.lock().unwrap()
        }

        fn is_cancelled(&self) -> bool {
            false
        }
    }

    #[test]
    fn operations_are_refused_in_the_last_fifth_of_the_time_and_the_script_ends_after_it() {
        let limits = ScriptLimits {
            time_max: Duration::from_secs(5),
            memory_bytes_max: 0,
            stack_bytes_max: 0,
            output_bytes_max: 0,
            operations_max: 0,
            log_bytes_max: 0,
        };
        let meter = Arc::new(SetMeter(Mutex::default()));
        let gate = InterruptGate::new(limits, Arc::clone(&meter) as Arc<dyn ScriptMeter>);
        for (ms, accepts, must_end) in
            [(0, true, false), (3_999, true, false), (4_001, false, false), (5_000, false, true)]
        {
            *meter.0.lock().unwrap() = Duration::from_millis(ms);
            assert_eq!((gate.accepts(), gate.must_end()), (accepts, must_end), "{ms}");
        }
        assert_eq!(gate.ended().unwrap().kind, ScriptFailureKind::OutOfTime);
    }

    #[test]
    fn each_call_of_a_function_has_its_own_time() {
        let limits = ScriptLimits {
            time_max: Duration::from_secs(1),
            memory_bytes_max: 0,
            stack_bytes_max: 0,
            output_bytes_max: 0,
            operations_max: 0,
            log_bytes_max: 0,
        };
        let meter = Arc::new(SetMeter(Mutex::new(Duration::from_secs(60))));
        let gate = InterruptGate::new(limits, Arc::clone(&meter) as Arc<dyn ScriptMeter>);
        gate.begin_call();
        assert!(!gate.must_end());
        *meter.0.lock().unwrap() = Duration::from_secs(61);
        assert!(gate.must_end());
    }
}
