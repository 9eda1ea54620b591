//! Totals of data calls by operation, container and status, in bounded memory.
//!
//! Owns the counters and their text form. Labels come from closed lists, and from fields the settings name.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::span::Fields;

/// Combinations of labels that are kept; calls with others are counted together.
const SERIES_MAX: usize = 2000;

/// Names and values of labels, in the order of names.
pub(super) type Labels = BTreeMap<String, String>;

/// What is added up, each with its name and help.
pub(super) const COUNTERS: [(&str, &str); 5] = [
    ("data_calls_total", "Data calls that ended."),
    ("data_call_request_units_total", "Request units charged to data calls."),
    ("data_call_rows_total", "Items, rows and changes that data calls gave."),
    ("data_call_pages_total", "Pages of queries and of the change feed."),
    ("data_call_retries_total", "Attempts of data calls after their first."),
];

/// The totals of all data calls.
#[derive(Debug, Default)]
pub(super) struct Totals {
    series: Mutex<BTreeMap<Labels, [f64; COUNTERS.len()]>>,
}

impl Totals {
    /// Counts a call that ended.
    pub(super) fn count(&self, fields: &Fields, more: Labels) {
        let status = match fields.text("status") {
            "" => "abandoned",
            status => status,
        };
        let closed = [
            ("operation", fields.text("operation")),
            ("database", fields.text("database")),
            ("container", fields.text("container")),
            ("status", status),
        ];
        let mut labels = more;
        labels.extend(closed.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let number = |name| fields.number(name);
        let values =
            [1.0, number("request_units"), number("rows"), number("pages"), number("retries")];
        let mut series = self.lock();
        if series.len() >= SERIES_MAX && !series.contains_key(&labels) {
            labels = Labels::from([("operation".to_owned(), "other".to_owned())]);
        }
        let totals = series.entry(labels).or_default();
        for (total, value) in totals.iter_mut().zip(values) {
            *total += value;
        }
    }

    /// All totals now.
    pub(super) fn snapshot(&self) -> BTreeMap<Labels, [f64; COUNTERS.len()]> {
        self.lock().clone()
    }

    /// All totals in the text form of Prometheus.
    pub(super) fn render(&self) -> String {
        let series = self.snapshot();
        let mut text = String::new();
        for (place, (name, help)) in COUNTERS.iter().enumerate() {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} counter");
            for (labels, totals) in &series {
                let total = totals.get(place).copied().unwrap_or_default();
                let _ = writeln!(text, "{name}{{{}}} {total}", printed(labels));
            }
        }
        text
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Labels, [f64; COUNTERS.len()]>> {
        self.series.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn printed(labels: &Labels) -> String {
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let labels = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
    labels.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::super::span::Value;
    use super::*;

    fn call(container: &str) -> Fields {
        let text = |text: &str| Value::Text(text.to_owned());
        let fields = [("operation", text("read")), ("container", text(container))];
        Fields(fields.into_iter().chain([("request_units", Value::Float(1.5))]).collect())
    }

    #[test]
    fn a_call_without_a_status_was_abandoned() {
        let totals = Totals::default();
        totals.count(&call("a\"b"), Labels::new());
        totals.count(&call("a\"b"), Labels::new());
        let labels = r#"{container="a\"b",database="",operation="read",status="abandoned"}"#;
        let text = totals.render();
        assert!(text.contains(&format!("data_calls_total{labels} 2\n")), "{text}");
        assert!(text.contains(&format!("data_call_request_units_total{labels} 3\n")), "{text}");
    }

    #[test]
    fn memory_is_bounded_and_nothing_is_left_out_of_the_sum() {
        let totals = Totals::default();
        for number in 0..SERIES_MAX + 5 {
            totals.count(&call(&number.to_string()), Labels::new());
        }
        let series = totals.snapshot();
        assert_eq!(series.len(), SERIES_MAX + 1);
        let other = Labels::from([("operation".to_owned(), "other".to_owned())]);
        assert!((series[&other][0] - 5.0).abs() < f64::EPSILON);
    }
}
