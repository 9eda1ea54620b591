//! The ring of recorded requests.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::{Json, Object};

use super::record::{RequestRecord, integer, is_logged};
use super::seconds::LastSeconds;

/// Requests that are kept.
const RECORDS_MAX: usize = 4000;

/// The last requests.
#[derive(Debug, Default)]
pub(crate) struct RequestLog {
    is_recording: AtomicBool,
    started_ms: AtomicU64,
    kept: Mutex<KeptRequests>,
}

#[derive(Debug, Default)]
struct KeptRequests {
    count: u64,
    records: VecDeque<RequestRecord>,
    seconds: LastSeconds,
}

impl RequestLog {
    /// Starts recording. Started already, nothing changes.
    pub(crate) fn start(&self, now_ms: u64) {
        if !self.is_recording.swap(true, Ordering::Relaxed) {
            self.started_ms.store(now_ms, Ordering::Relaxed);
        }
    }

    /// Begins the record of a request; `None` while nothing is recorded and nobody listens to the log.
    pub(crate) fn begin<B>(
        &self,
        now_ms: impl FnOnce() -> u64,
        request: &hyper::Request<B>,
    ) -> Option<Box<RequestRecord>> {
        // Relaxed: it does not matter which request is the first that is recorded.
        let is_recording = self.is_recording.load(Ordering::Relaxed);
        (is_recording || is_logged()).then(|| Box::new(RequestRecord::new(now_ms(), request)))
    }

    /// Keeps a record. Those of the explorer are in the list, marked, and not in the sums.
    pub(crate) fn keep(&self, mut record: RequestRecord) {
        if !record.is_api || !self.is_recording.load(Ordering::Relaxed) {
            return;
        }
        let mut kept = self.lock();
        if !record.is_explorer {
            kept.seconds.add(&record);
        }
        kept.count += 1;
        record.number = kept.count;
        if kept.records.len() >= RECORDS_MAX {
            kept.records.pop_front();
        }
        kept.records.push_back(record);
    }

    /// The list, newest first, of the requests after a number.
    pub(crate) fn list(&self, after: u64, count_max: usize) -> Json {
        let kept = self.lock();
        let newer = kept.records.iter().rev().take_while(|record| record.number > after);
        let requests = newer.take(count_max).map(|record| Json::Object(record.summary()));
        let mut object = self.about();
        object.insert("requests", requests.collect::<Vec<_>>());
        Json::Object(object)
    }

    /// One request with its headers and the shape of its body.
    pub(crate) fn detail(&self, number: u64, shows_values: bool) -> Option<Json> {
        let kept = self.lock();
        let found = kept.records.iter().find(|record| record.number == number);
        found.map(|record| record.detail(shows_values))
    }

    /// The sums of the last seconds.
    pub(crate) fn traffic(&self, now_ms: u64) -> Json {
        let mut object = self.about();
        object.insert("now", integer(now_ms));
        object.insert("seconds", self.lock().seconds.to_json());
        Json::Object(object)
    }

    fn about(&self) -> Object {
        let mut object = Object::new();
        object.insert("recording", self.is_recording.load(Ordering::Relaxed));
        object.insert("since", integer(self.started_ms.load(Ordering::Relaxed)));
        object
    }

    fn lock(&self) -> MutexGuard<'_, KeptRequests> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
