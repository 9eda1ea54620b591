//! How many streams of events may be open: in all, and of one caller.
//!
//! Owns counting them. Does not own who the caller is (`layer.rs`), nor how long a stream holds its permit
//! (`stream.rs`).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;

use crate::http::problem::Problem;

/// When to try again.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// The limits, with what is open. Cloning shares it.
#[derive(Clone, Debug)]
pub(crate) struct StreamLimit(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    streams_max: usize,
    streams_per_caller: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    all: usize,
    by_caller: HashMap<String, usize>,
}

/// One open stream. Its place is free again when it is dropped.
#[derive(Debug)]
pub(crate) struct StreamPermit {
    limit: StreamLimit,
    caller: String,
}

impl StreamLimit {
    pub(crate) fn new(streams_max: usize, streams_per_caller: usize) -> Self {
        Self(Arc::new(Inner { streams_max, streams_per_caller, open: Mutex::default() }))
    }

    /// Lets one more stream of a caller open.
    ///
    /// # Errors
    /// 429 `too_many_streams` when the caller has as many as it may, 503 `streams_full` when all places are taken.
    pub(crate) fn take(&self, caller: String) -> Result<StreamPermit, Problem> {
        let Inner { streams_max, streams_per_caller, .. } = *self.0;
        let mut open = self.open();
        let own = open.by_caller.get(&caller).copied().unwrap_or_default();
        if own >= streams_per_caller {
            let detail = format!("You have {own} open streams, as many as one caller may.");
            let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_streams", detail);
            return Err(problem.retry_after(RETRY_AFTER));
        }
        if open.all >= streams_max {
            let detail =
                "As many streams are open as this service takes. Ask instead of listening.";
            let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "streams_full", detail);
            return Err(problem.retry_after(RETRY_AFTER));
        }
        open.all += 1;
        open.by_caller.insert(caller.clone(), own + 1);
        drop(open);
        Ok(StreamPermit { limit: self.clone(), caller })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut open = self.limit.open();
        open.all -= 1;
        let left = open.by_caller.remove(&self.caller).unwrap_or_default().saturating_sub(1);
        if left > 0 {
            open.by_caller.insert(std::mem::take(&mut self.caller), left);
        }
    }
}
