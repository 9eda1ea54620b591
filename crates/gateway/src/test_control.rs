//! A clock that tests can move forward.
//!
//! Owns the offset. Does not own the routes that move it (see `observe`), nor installing it: whoever starts the server
//! passes it to the environment of the engine as well.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine::{Clock, SystemClock};
use model::TimestampMs;

/// The system clock plus the time by which tests have advanced it.
#[derive(Debug, Default)]
pub struct TestControl {
    offset_ms: AtomicU64,
}

impl TestControl {
    /// Creates a control whose clock shows the system time until it is advanced.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn advance(&self, by: Duration) {
        let by_ms = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        self.offset_ms.fetch_add(by_ms, Ordering::SeqCst);
    }
}

impl Clock for TestControl {
    fn now(&self) -> TimestampMs {
        TimestampMs(SystemClock.now().0.saturating_add(self.offset_ms.load(Ordering::SeqCst)))
    }

    fn stopwatch(&self) -> Duration {
        SystemClock.stopwatch()
    }
}
