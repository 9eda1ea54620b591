//! Counters of requests, as Prometheus reads them.
//!
//! Owns the counts and their text. Does not own what is counted elsewhere.

use std::sync::atomic::{AtomicU64, Ordering};

/// Upper bounds of the classes of durations, in milliseconds.
const BOUNDS_MS: [u64; 8] = [1, 2, 5, 10, 50, 100, 500, 5000];
/// Statuses with a counter of their own; the rest is counted under zero.
const STATUSES: [u16; 20] = [
    200, 201, 204, 207, 304, 400, 401, 403, 404, 405, 408, 409, 410, 412, 413, 429, 431, 500, 501,
    503,
];

/// What has happened since the start.
#[derive(Debug)]
pub(crate) struct Metrics {
    began_ms: u64,
    by_status: [AtomicU64; STATUSES.len() + 1],
    /// One more class than bounds.
    by_duration: [AtomicU64; BOUNDS_MS.len() + 1],
    duration_ms_sum: AtomicU64,
}

impl Metrics {
    pub(crate) fn starting(began_ms: u64) -> Self {
        Self {
            began_ms,
            by_status: Default::default(),
            by_duration: Default::default(),
            duration_ms_sum: AtomicU64::new(0),
        }
    }

    pub(crate) fn record(&self, status: u16, took_ms: u64) {
        let place = STATUSES.iter().position(|known| *known == status).unwrap_or(STATUSES.len());
        if let Some(counter) = self.by_status.get(place) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        let class = BOUNDS_MS.iter().position(|bound| took_ms <= *bound).unwrap_or(BOUNDS_MS.len());
        if let Some(counter) = self.by_duration.get(class) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        self.duration_ms_sum.fetch_add(took_ms, Ordering::Relaxed);
    }

    pub(crate) fn requests(&self) -> u64 {
        self.by_status.iter().map(|counter| counter.load(Ordering::Relaxed)).sum()
    }

    pub(crate) fn uptime_seconds(&self, now_ms: u64) -> u64 {
        now_ms.saturating_sub(self.began_ms) / 1000
    }

    /// The text Prometheus reads.
    pub(crate) fn text(&self, now_ms: u64) -> String {
        let mut text = String::from(
            "# HELP planisphere_requests_total Requests answered, by status.\n\
             # TYPE planisphere_requests_total counter\n",
        );
        let statuses = STATUSES.iter().chain([&0]).zip(&self.by_status);
        for (status, counter) in statuses {
            let count = counter.load(Ordering::Relaxed);
            if count > 0 {
                text += &format!("planisphere_requests_total{{status=\"{status}\"}} {count}\n");
            }
        }
        text += "# HELP planisphere_request_duration_seconds How long answers took.\n\
                 # TYPE planisphere_request_duration_seconds histogram\n";
        let mut so_far = 0;
        let name = "planisphere_request_duration_seconds";
        let bounds = BOUNDS_MS.iter().map(|bound| milliseconds(*bound)).chain(["+Inf".to_owned()]);
        for (bound, counter) in bounds.zip(&self.by_duration) {
            so_far += counter.load(Ordering::Relaxed);
            text += &format!("{name}_bucket{{le=\"{bound}\"}} {so_far}\n");
        }
        let sum = milliseconds(self.duration_ms_sum.load(Ordering::Relaxed));
        text += &format!("{name}_sum {sum}\n{name}_count {so_far}\n");
        text += "# HELP planisphere_uptime_seconds Seconds since the start.\n\
                 # TYPE planisphere_uptime_seconds gauge\n";
        text + &format!("planisphere_uptime_seconds {}\n", self.uptime_seconds(now_ms))
    }
}

fn milliseconds(count: u64) -> String {
    format!("{}.{:03}", count / 1000, count % 1000)
}
