//! Counters of requests, for Prometheus.
//!
//! Owns the counters and their text. Counting a request is four relaxed atomic additions, without a lock or a map; the
//! counters are copied into the structures of the metrics library only when they are read.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use model::RequestCharge;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;

use super::account::AccountMetrics;

/// Upper bounds of the buckets of durations, in microseconds: a point read takes some tens, a page of a query up to
/// seconds.
const BUCKETS_US: [u64; 16] = [
    25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 5_000_000,
];
/// Statuses with a counter of their own. All others are counted as status 0.
const STATUSES: [u16; 21] = [
    200, 201, 204, 207, 304, 400, 401, 403, 404, 405, 408, 409, 410, 412, 413, 429, 431, 449, 500,
    501, 503,
];

/// Requests since the start.
#[derive(Debug)]
pub(crate) struct RequestMetrics {
    started_ms: u64,
    by_status: [AtomicU64; STATUSES.len() + 1],
    /// The last bucket has no upper bound.
    by_duration: [AtomicU64; BUCKETS_US.len() + 1],
    duration_us_sum: AtomicU64,
    /// The charges of all responses, in the parts of a charge.
    charge_parts: AtomicU64,
}

impl RequestMetrics {
    /// The content type of [`Self::text`].
    pub(crate) const CONTENT_TYPE: &'static str =
        "application/openmetrics-text; version=1.0.0; charset=utf-8";

    pub(crate) fn new(started_ms: u64) -> Self {
        Self {
            started_ms,
            by_status: Default::default(),
            by_duration: Default::default(),
            duration_us_sum: AtomicU64::new(0),
            charge_parts: AtomicU64::new(0),
        }
    }

    pub(crate) fn record(&self, status: u16, took_us: u64, charge: RequestCharge) {
        let index = STATUSES.iter().position(|counted| *counted == status);
        if let Some(counter) = self.by_status.get(index.unwrap_or(STATUSES.len())) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        let bucket = BUCKETS_US.iter().position(|bound| took_us <= *bound);
        if let Some(counter) = self.by_duration.get(bucket.unwrap_or(BUCKETS_US.len())) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        self.duration_us_sum.fetch_add(took_us, Ordering::Relaxed);
        self.charge_parts.fetch_add(charge.parts(), Ordering::Relaxed);
    }

    pub(crate) fn requests(&self) -> u64 {
        self.by_status.iter().map(|counter| counter.load(Ordering::Relaxed)).sum()
    }

    pub(crate) fn uptime_seconds(&self, now_ms: u64) -> u64 {
        now_ms.saturating_sub(self.started_ms) / 1000
    }

    /// The metrics in the text format of OpenMetrics, which Prometheus reads.
    pub(crate) fn text(&self, now_ms: u64, account: AccountMetrics) -> String {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let bounds = BUCKETS_US.iter().map(|bound| float(*bound)).chain([f64::INFINITY]);
        let snapshot = MetricsSnapshot {
            by_status: STATUSES
                .into_iter()
                .chain([0])
                .zip(self.by_status.iter().map(load))
                .collect(),
            by_duration: bounds.zip(self.by_duration.iter().map(load)).collect(),
            duration_us_sum: float(load(&self.duration_us_sum)),
            charge: RequestCharge::from_parts(load(&self.charge_parts)).as_f64(),
            uptime_seconds: self.uptime_seconds(now_ms),
        };
        let mut registry = Registry::default();
        registry.register_collector(Box::new(snapshot));
        registry.register_collector(Box::new(account));
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = text::encode(&mut text, &registry);
        text
    }
}

#[expect(clippy::cast_precision_loss, reason = "sums of microseconds stay far below 2^53")]
fn float(number: u64) -> f64 {
    number as f64
}

/// The counters at one moment.
#[derive(Debug)]
struct MetricsSnapshot {
    by_status: Vec<(u16, u64)>,
    /// Upper bounds in microseconds; the last one means infinity.
    by_duration: Vec<(f64, u64)>,
    duration_us_sum: f64,
    charge: f64,
    uptime_seconds: u64,
}

impl Collector for MetricsSnapshot {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        // The encoder appends `_total` to the names of counters, and a period to the help texts.
        let mut requests = encoder.encode_descriptor(
            "planisphere_requests",
            "Requests answered, by status",
            None,
            MetricType::Counter,
        )?;
        for (status, count) in self.by_status.iter().filter(|(_, count)| *count > 0) {
            let labels = [("status", *status)];
            let mut counter = requests.encode_family(&labels)?;
            counter.encode_counter::<NoLabelSet, u64, u64>(count, None)?;
        }
        let count = self.by_duration.iter().map(|(_, count)| count).sum();
        encoder
            .encode_descriptor(
                "planisphere_request_duration_microseconds",
                "How long requests took",
                None,
                MetricType::Histogram,
            )?
            .encode_histogram::<NoLabelSet>(self.duration_us_sum, count, &self.by_duration, None)?;
        encoder
            .encode_descriptor(
                "planisphere_request_units",
                "Request units charged",
                None,
                MetricType::Counter,
            )?
            .encode_counter::<NoLabelSet, f64, u64>(&self.charge, None)?;
        encoder
            .encode_descriptor(
                "planisphere_uptime_seconds",
                "Seconds since the start",
                None,
                MetricType::Gauge,
            )?
            .encode_gauge(&self.uptime_seconds)
    }
}

#[cfg(test)]
mod tests {
    use model::RequestCharge;

    use super::{AccountMetrics, RequestMetrics};

    #[test]
    fn metrics_are_printed_with_their_labels_and_values() {
        let metrics = RequestMetrics::new(1000);
        metrics.record(200, 40, RequestCharge::from_request_units(1));
        metrics.record(200, 60_000, RequestCharge::from_request_units(2));
        metrics.record(418, 9_000_000, RequestCharge::ZERO);
        let text = metrics.text(8500, AccountMetrics::default());
        for line in [
            "# TYPE planisphere_requests counter",
            "planisphere_requests_total{status=\"200\"} 2",
            "planisphere_requests_total{status=\"0\"} 1",
            "# TYPE planisphere_request_duration_microseconds histogram",
            "planisphere_request_duration_microseconds_bucket{le=\"25.0\"} 0",
            "planisphere_request_duration_microseconds_bucket{le=\"50.0\"} 1",
            "planisphere_request_duration_microseconds_bucket{le=\"100000.0\"} 2",
            "planisphere_request_duration_microseconds_bucket{le=\"5000000.0\"} 2",
            "planisphere_request_duration_microseconds_bucket{le=\"+Inf\"} 3",
            "planisphere_request_duration_microseconds_sum 9060040.0",
            "planisphere_request_duration_microseconds_count 3",
            "planisphere_request_units_total 3.0",
            "# TYPE planisphere_uptime_seconds gauge",
            "planisphere_uptime_seconds 7",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(text.ends_with("# EOF\n"), "{text}");
        assert!(!text.contains("status=\"404\""), "{text}");
    }
}
