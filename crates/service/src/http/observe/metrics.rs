//! Metrics of a service in the OpenMetrics text format.
//!
//! Owns the metrics of requests, and a registry that takes collectors of others. Label values come from closed lists
//! (route pattern, method, status), never from ids of tenants or users: every value is a time series for ever.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Upper bounds of the histogram buckets, in seconds.
const BUCKETS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// The metrics of a service. Clones share them.
#[derive(Clone, Debug)]
pub struct ServiceMetrics {
    registry: Arc<Mutex<Registry>>,
    requests: Family<RequestLabels, Counter>,
    durations: Family<RouteLabels, Histogram>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: Arc<str>,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: Arc<str>,
}

impl Default for ServiceMetrics {
    fn default() -> Self {
        let requests = Family::<RequestLabels, Counter>::default();
        let durations =
            Family::<RouteLabels, Histogram>::new_with_constructor(|| Histogram::new(BUCKETS));
        let mut registry = Registry::default();
        // The encoder appends `_total` to the names of counters and a full stop to help texts.
        registry.register("http_requests", "Requests answered", requests.clone());
        let help = "Time until the head of the answer";
        registry.register("http_request_seconds", help, durations.clone());
        Self { registry: Arc::new(Mutex::new(registry)), requests, durations }
    }
}

impl ServiceMetrics {
    /// Also shows the metrics of a collector, such as [`crate::telemetry::Telemetry::collector`]. Their names must
    /// differ from all others.
    pub fn add_collector(&self, collector: impl Collector) {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.register_collector(Box::new(collector));
    }

    /// Renders all metrics as text.
    #[must_use]
    pub fn render(&self) -> String {
        let mut rendered = String::new();
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        // Writing to a string cannot fail.
        let _ = text::encode(&mut rendered, &registry);
        rendered
    }

    /// Records a request that was answered.
    pub(in crate::http) fn record_request(
        &self,
        method: &'static str,
        route: Arc<str>,
        status: u16,
        elapsed: Duration,
    ) {
        let labels = RequestLabels { method, route: Arc::clone(&route), status };
        self.requests.get_or_create(&labels).inc();
        self.durations.get_or_create(&RouteLabels { route }).observe(elapsed.as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::ServiceMetrics;

    #[test]
    fn requests_are_rendered_by_family() {
        let metrics = ServiceMetrics::default();
        for _ in 0..2 {
            metrics.record_request("GET", "/a\"b\n".into(), 200, Duration::from_millis(20));
        }
        let text = metrics.render();
        for line in [
            "# TYPE http_requests counter\n",
            "http_requests_total{method=\"GET\",route=\"/a\\\"b\\n\",status=\"200\"} 2\n",
            "http_request_seconds_bucket{le=\"0.01\",route=\"/a\\\"b\\n\"} 0\n",
            "http_request_seconds_bucket{le=\"0.025\",route=\"/a\\\"b\\n\"} 2\n",
            "http_request_seconds_count{route=\"/a\\\"b\\n\"} 2\n",
        ] {
            assert!(text.contains(line), "{line} in\n{text}");
        }
        assert!(text.ends_with("# EOF\n"), "{text}");
    }
}
