//! Totals of data calls by operation, container and status, in bounded memory.
//!
//! Owns the counters and their collector for a metrics registry. Label values come from closed lists, and from span
//! fields that the settings name.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric as _};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;

use super::span::SpanFields;

/// Maximum number of label combinations. Calls beyond it are counted under one combination.
const SERIES_MAX: usize = 2000;

/// Names and values of labels, ordered by name.
pub(super) type MetricLabels = BTreeMap<String, String>;

/// The counters, each with its name and help text.
pub(super) const COUNTERS: [(&str, &str); 5] = [
    ("data_calls_total", "Data calls that ended."),
    ("data_call_request_units_total", "Request units charged to data calls."),
    ("data_call_rows_total", "Items, rows and changes that data calls gave."),
    ("data_call_pages_total", "Pages of queries and of the change feed."),
    ("data_call_retries_total", "Attempts of data calls after their first."),
];

/// The totals of each label combination, in the order of [`COUNTERS`].
pub(super) type CallSeries = BTreeMap<MetricLabels, [f64; COUNTERS.len()]>;

/// The totals of all data calls.
#[derive(Debug, Default)]
pub(super) struct CallTotals {
    series: Mutex<CallSeries>,
}

impl CallTotals {
    /// Counts a call that ended.
    pub(super) fn count(&self, fields: &SpanFields, labels: MetricLabels) {
        let status = match fields.text("status") {
            // The caller dropped the future before the call ended, so nothing recorded a status.
            "" => "abandoned",
            status => status,
        };
        let closed = [
            ("operation", fields.text("operation")),
            ("database", fields.text("database")),
            ("container", fields.text("container")),
            ("status", status),
        ];
        let mut labels = labels;
        labels.extend(closed.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let number = |name| fields.number(name);
        let values =
            [1.0, number("request_units"), number("rows"), number("pages"), number("retries")];
        let mut series = self.lock();
        // Combinations that are known go on counting; only new ones fall together. Memory and every scrape stay
        // bounded.
        if series.len() >= SERIES_MAX && !series.contains_key(&labels) {
            labels = MetricLabels::from([("operation".to_owned(), "other".to_owned())]);
        }
        let totals = series.entry(labels).or_default();
        for (total, value) in totals.iter_mut().zip(values) {
            *total += value;
        }
    }

    /// A copy of all totals.
    pub(super) fn snapshot(&self) -> CallSeries {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, CallSeries> {
        self.series.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Encodes the totals at each scrape.
#[derive(Debug)]
pub(super) struct CallTotalsCollector(pub(super) Arc<CallTotals>);

impl Collector for CallTotalsCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        // A copy: encoding a scrape must not hold the lock that every data call takes.
        let series = self.0.snapshot();
        for (index, (name, help)) in COUNTERS.iter().enumerate() {
            // The encoder appends the suffix to the name of every counter.
            let name = name.trim_end_matches("_total");
            let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            for (labels, totals) in &series {
                let labels: Vec<(&str, &str)> =
                    labels.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                let total = totals.get(index).copied().unwrap_or_default();
                let labelled = metric.encode_family(&labels)?;
                match whole_number(total) {
                    Some(total) => ConstCounter::new(total).encode(labelled)?,
                    None => ConstCounter::new(total).encode(labelled)?,
                }
            }
        }
        Ok(())
    }
}

/// A total as an integer, if it is one: counts are then printed without a decimal point.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "totals are never negative and stay far below 2^53"
)]
fn whole_number(total: f64) -> Option<u64> {
    (total.fract() == 0.0).then_some(total as u64)
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text;
    use prometheus_client::registry::Registry;

    use super::super::span::FieldValue;
    use super::*;

    fn call(container: &str) -> SpanFields {
        let text = |text: &str| FieldValue::Text(text.to_owned());
        let fields = [("operation", text("read")), ("container", text(container))];
        SpanFields(fields.into_iter().chain([("request_units", FieldValue::Float(1.5))]).collect())
    }

    #[test]
    fn a_call_without_a_status_was_abandoned() {
        let totals = Arc::new(CallTotals::default());
        for _ in 0..3 {
            totals.count(&call("a\"b"), MetricLabels::new());
        }
        let mut registry = Registry::default();
        registry.register_collector(Box::new(CallTotalsCollector(totals)));
        let mut rendered = String::new();
        text::encode(&mut rendered, &registry).unwrap();
        let labels = r#"{container="a\"b",database="",operation="read",status="abandoned"}"#;
        for line in [
            format!("data_calls_total{labels} 3"),
            format!("data_call_request_units_total{labels} 4.5"),
        ] {
            assert!(rendered.lines().any(|other| other == line), "{line} in\n{rendered}");
        }
    }

    #[test]
    fn memory_is_bounded_and_the_sum_stays_complete() {
        let totals = CallTotals::default();
        for number in 0..SERIES_MAX + 5 {
            totals.count(&call(&number.to_string()), MetricLabels::new());
        }
        let series = totals.snapshot();
        assert_eq!(series.len(), SERIES_MAX + 1);
        let other = MetricLabels::from([("operation".to_owned(), "other".to_owned())]);
        assert!((series[&other][0] - 5.0).abs() < f64::EPSILON);
    }
}
