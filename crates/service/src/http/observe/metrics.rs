//! Numbers about a running service, in the text form of Prometheus.
//!
//! Owns counters, gauges and histograms by name and labels, in bounded memory: a family takes so many combinations of
//! labels and counts the rest as lost. Labels are for closed lists (route, status), never for ids of tenants or users.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Combinations of labels a family keeps.
const SERIES_MAX: usize = 1000;
/// Upper bounds of histograms, in seconds.
const BOUNDS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// The numbers of a service. Cloning shares them.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    families: Arc<Mutex<BTreeMap<&'static str, Family>>>,
    sources: Arc<Mutex<Sources>>,
}

/// What others add to the text.
#[derive(Default)]
struct Sources(Vec<Box<dyn Fn() -> String + Send + Sync>>);

impl std::fmt::Debug for Sources {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} sources", self.0.len())
    }
}

#[derive(Debug)]
struct Family {
    help: &'static str,
    kind: &'static str,
    series: BTreeMap<String, Series>,
    lost: u64,
}

#[derive(Debug)]
enum Series {
    Number(f64),
    Histogram { buckets: [u64; BOUNDS.len()], count: u64, sum: f64 },
}

/// Labels of one number: names and values.
type Labels<'a> = &'a [(&'static str, &'a str)];

impl Metrics {
    /// Adds to a counter, whose name ends in `_total`.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    pub fn count(&self, name: &'static str, help: &'static str, labels: Labels<'_>, by: u64) {
        self.change((name, help, "counter"), labels, Series::Number(0.0), |series| {
            if let Series::Number(number) = series {
                *number += by as f64;
            }
        });
    }

    /// Sets a gauge.
    pub fn gauge(&self, name: &'static str, help: &'static str, labels: Labels<'_>, value: f64) {
        self.change((name, help, "gauge"), labels, Series::Number(0.0), |series| {
            if let Series::Number(number) = series {
                *number = value;
            }
        });
    }

    /// Adds one duration to a histogram, whose name ends in `_seconds`.
    pub fn observe(
        &self,
        name: &'static str,
        help: &'static str,
        labels: Labels<'_>,
        seconds: f64,
    ) {
        let empty = Series::Histogram { buckets: [0; BOUNDS.len()], count: 0, sum: 0.0 };
        self.change((name, help, "histogram"), labels, empty, |series| {
            if let Series::Histogram { buckets, count, sum } = series {
                let above = buckets.iter_mut().zip(BOUNDS).filter(|(_, bound)| seconds <= *bound);
                above.for_each(|(bucket, _)| *bucket += 1);
                *count += 1;
                *sum += seconds;
            }
        });
    }

    /// Shows the numbers of somebody else too, such as [`crate::telemetry::Telemetry::render`], after these. Their
    /// names must be others.
    pub fn add_source(&self, render: impl Fn() -> String + Send + Sync + 'static) {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        sources.0.push(Box::new(render));
    }

    /// All numbers as text.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text = String::new();
        for (name, family) in &*self.families.lock().unwrap_or_else(PoisonError::into_inner) {
            // Writing to a text cannot fail.
            let _ = family.render(name, &mut text);
        }
        for render in &self.sources.lock().unwrap_or_else(PoisonError::into_inner).0 {
            text.push_str(&render());
        }
        text
    }

    fn change(
        &self,
        (name, help, kind): (&'static str, &'static str, &'static str),
        labels: Labels<'_>,
        empty: Series,
        change: impl FnOnce(&mut Series),
    ) {
        let labels = printed(labels);
        let mut families = self.families.lock().unwrap_or_else(PoisonError::into_inner);
        let family = families.entry(name).or_insert_with(|| Family {
            help,
            kind,
            series: BTreeMap::new(),
            lost: 0,
        });
        if family.series.len() >= SERIES_MAX && !family.series.contains_key(&labels) {
            family.lost += 1;
            return;
        }
        change(family.series.entry(labels).or_insert(empty));
    }
}

impl Family {
    fn render(&self, name: &str, text: &mut String) -> std::fmt::Result {
        writeln!(text, "# HELP {name} {}\n# TYPE {name} {}", self.help, self.kind)?;
        for (labels, series) in &self.series {
            match series {
                Series::Number(number) => {
                    writeln!(text, "{name}{} {number}", braced(labels, None))?;
                }
                Series::Histogram { buckets, count, sum } => {
                    for (bucket, bound) in buckets.iter().zip(BOUNDS) {
                        let labels = braced(labels, Some(&bound.to_string()));
                        writeln!(text, "{name}_bucket{labels} {bucket}")?;
                    }
                    writeln!(text, "{name}_bucket{} {count}", braced(labels, Some("+Inf")))?;
                    writeln!(text, "{name}_sum{} {sum}", braced(labels, None))?;
                    writeln!(text, "{name}_count{} {count}", braced(labels, None))?;
                }
            }
        }
        if self.lost > 0 {
            writeln!(
                text,
                "# {} more of {name} had labels beyond {SERIES_MAX} combinations",
                self.lost
            )?;
        }
        Ok(())
    }
}

fn printed(labels: Labels<'_>) -> String {
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let labels = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
    labels.collect::<Vec<_>>().join(",")
}

fn braced(labels: &str, bound: Option<&str>) -> String {
    match (labels, bound) {
        ("", None) => String::new(),
        (labels, None) => format!("{{{labels}}}"),
        ("", Some(bound)) => format!("{{le=\"{bound}\"}}"),
        (labels, Some(bound)) => format!("{{{labels},le=\"{bound}\"}}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Metrics, SERIES_MAX};

    #[test]
    fn the_numbers_of_others_come_last() {
        let metrics = Metrics::default();
        metrics.add_source(|| "calls_total 7\n".to_owned());
        metrics.gauge("lag_seconds", "Lag.", &[], 1.5);
        assert!(metrics.render().ends_with("lag_seconds 1.5\ncalls_total 7\n"));
    }

    #[test]
    fn numbers_are_printed_by_family() {
        let metrics = Metrics::default();
        metrics.count("jobs_total", "Jobs.", &[("name", "a\"b\n")], 2);
        metrics.count("jobs_total", "Jobs.", &[("name", "a\"b\n")], 3);
        metrics.gauge("lag_seconds", "Lag.", &[], 1.5);
        metrics.observe("took_seconds", "Time.", &[], 0.02);
        let text = metrics.render();
        assert!(
            text.contains("# TYPE jobs_total counter\njobs_total{name=\"a\\\"b\\n\"} 5\n"),
            "{text}"
        );
        assert!(text.contains("lag_seconds 1.5\n"), "{text}");
        assert!(text.contains("took_seconds_bucket{le=\"0.01\"} 0\n"), "{text}");
        assert!(text.contains("took_seconds_bucket{le=\"0.025\"} 1\n"), "{text}");
        assert!(
            text.contains("took_seconds_bucket{le=\"+Inf\"} 1\ntook_seconds_sum 0.02\n"),
            "{text}"
        );
    }

    #[test]
    fn a_family_is_bounded() {
        let metrics = Metrics::default();
        for n in 0..SERIES_MAX + 5 {
            metrics.count("x_total", "X.", &[("n", &n.to_string())], 1);
        }
        assert_eq!(
            metrics.render().lines().filter(|line| line.starts_with("x_total")).count(),
            SERIES_MAX
        );
        assert!(metrics.render().contains("# 5 more of x_total"));
    }
}
