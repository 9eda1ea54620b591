//! The limit of open event streams, in total and per caller.
//!
//! Owns counting them. Does not own the key of a caller (`caller_key.rs`), nor how long a stream holds its permit
//! (`stream.rs`).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;

use crate::problem::Problem;

/// The `Retry-After` of a refused stream.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// The limits and the number of open streams. Clones share them.
#[derive(Clone, Debug)]
pub(in crate::http) struct StreamLimit(Arc<StreamLimitInner>);

#[derive(Debug)]
struct StreamLimitInner {
    streams_max: usize,
    streams_per_caller: usize,
    open: Mutex<OpenStreams>,
}

#[derive(Debug, Default)]
struct OpenStreams {
    total: usize,
    by_caller: HashMap<String, usize>,
}

/// The right to one open stream, returned when it is dropped.
#[derive(Debug)]
pub(super) struct StreamPermit {
    limit: StreamLimit,
    caller: String,
}

impl StreamLimit {
    pub(in crate::http) fn new(streams_max: usize, streams_per_caller: usize) -> Self {
        Self(Arc::new(StreamLimitInner { streams_max, streams_per_caller, open: Mutex::default() }))
    }

    /// Counts one more stream of a caller.
    ///
    /// # Errors
    /// 429 `too_many_streams` when the caller has reached its limit, 503 `streams_full` when the total is reached.
    pub(super) fn acquire(&self, caller: String) -> Result<StreamPermit, Problem> {
        let StreamLimitInner { streams_max, streams_per_caller, .. } = *self.0;
        let mut open = self.open();
        let own = open.by_caller.get(&caller).copied().unwrap_or_default();
        // Before the total: a caller over its own limit gets 429 even when the service is full.
        if own >= streams_per_caller {
            let detail = format!("You have {own} open streams, the maximum for one caller.");
            let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_streams", detail);
            return Err(problem.retry_after(RETRY_AFTER));
        }
        if open.total >= streams_max {
            let detail = "The maximum number of streams of this service is open. Poll instead.";
            let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "streams_full", detail);
            return Err(problem.retry_after(RETRY_AFTER));
        }
        open.total += 1;
        open.by_caller.insert(caller.clone(), own + 1);
        drop(open);
        Ok(StreamPermit { limit: self.clone(), caller })
    }

    fn open(&self) -> MutexGuard<'_, OpenStreams> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut open = self.limit.open();
        open.total -= 1;
        // Removed at zero: callers come and go, and the map must not grow with all of them.
        let left = open.by_caller.remove(&self.caller).unwrap_or_default().saturating_sub(1);
        if left > 0 {
            open.by_caller.insert(std::mem::take(&mut self.caller), left);
        }
    }
}
