//! What the engine knows about the account at one moment: background work, and per container what is stored, charged
//! and throttled.
//!
//! Read when metrics are read; nothing is counted here.

use std::fmt;

use engine::{Engine, MaintenanceTotals};
use model::Json;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

/// The account at one moment.
#[derive(Debug, Default)]
pub(crate) struct AccountMetrics {
    maintenance: MaintenanceTotals,
    evaluated_slices: u64,
    is_read_only: bool,
    containers: Vec<ContainerMetrics>,
}

#[derive(Debug, Default)]
struct ContainerMetrics {
    database: String,
    container: String,
    items: u64,
    bytes: u64,
    partitions: u64,
    operations: Vec<OperationMetrics>,
}

#[derive(Debug, Default)]
struct OperationMetrics {
    operation: String,
    requests: u64,
    failed: u64,
    throttled: u64,
    request_units: f64,
}

impl AccountMetrics {
    /// Reads the engine. Without `with_containers`, no name of a container is in it.
    pub(crate) fn read(engine: &Engine, with_containers: bool) -> Self {
        let containers = match with_containers {
            true => {
                let usage = engine.usage();
                let containers = usage.get("containers").and_then(Json::as_array);
                containers.unwrap_or_default().iter().map(ContainerMetrics::from_usage).collect()
            }
            false => Vec::new(),
        };
        Self {
            maintenance: engine.maintenance_totals(),
            evaluated_slices: engine.evaluated_slices(),
            is_read_only: engine.write_failure().is_some(),
            containers,
        }
    }

    /// One metric with a value for each container.
    fn gauge(
        &self,
        encoder: &mut DescriptorEncoder<'_>,
        name: &str,
        help: &str,
        value: fn(&ContainerMetrics) -> u64,
    ) -> fmt::Result {
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for each in &self.containers {
            let labels = [("database", &each.database), ("container", &each.container)];
            family.encode_family(&labels)?.encode_gauge(&value(each))?;
        }
        Ok(())
    }

    /// One metric with a value for each container and operation.
    fn counter(
        &self,
        encoder: &mut DescriptorEncoder<'_>,
        name: &str,
        help: &str,
        value: fn(&OperationMetrics) -> f64,
    ) -> fmt::Result {
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
        for each in &self.containers {
            for one in &each.operations {
                let labels = [
                    ("database", &each.database),
                    ("container", &each.container),
                    ("operation", &one.operation),
                ];
                let mut counter = family.encode_family(&labels)?;
                counter.encode_counter::<NoLabelSet, f64, u64>(&value(one), None)?;
            }
        }
        Ok(())
    }
}

impl ContainerMetrics {
    fn from_usage(usage: &Json) -> Self {
        let text = |name| usage.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
        let list = |name| usage.get(name).and_then(Json::as_array).unwrap_or_default();
        let current = list("partitions")
            .iter()
            .filter(|partition| partition.get("retired").and_then(Json::as_bool) != Some(true));
        let mut metrics = Self {
            database: text("database"),
            container: text("container"),
            operations: list("operations").iter().map(OperationMetrics::from_usage).collect(),
            ..Self::default()
        };
        for partition in current {
            metrics.partitions += 1;
            metrics.items += integer(partition, "items");
            metrics.bytes += integer(partition, "bytes");
        }
        metrics
    }
}

impl OperationMetrics {
    fn from_usage(usage: &Json) -> Self {
        let operation = usage.get("operation").and_then(Json::as_str).unwrap_or_default();
        let units = match usage.get("requestUnits") {
            Some(Json::Number(units)) => units.as_f64(),
            _ => 0.0,
        };
        Self {
            operation: operation.to_owned(),
            requests: integer(usage, "requests"),
            failed: integer(usage, "failed"),
            throttled: integer(usage, "throttled"),
            request_units: units,
        }
    }
}

fn integer(json: &Json, name: &str) -> u64 {
    json.get(name).and_then(Json::as_i64).and_then(|it| u64::try_from(it).ok()).unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn float(number: u64) -> f64 {
    number as f64
}

impl Collector for AccountMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let MaintenanceTotals { rounds, expired, rebuilt, trimmed, reclaimed } = self.maintenance;
        let mut work = encoder.encode_descriptor(
            "planisphere_background_work",
            "Rounds of background work and what they handled",
            None,
            MetricType::Counter,
        )?;
        for (kind, count) in [
            ("rounds", rounds),
            ("expired_items", expired),
            ("reindexed_items", rebuilt),
            ("trimmed_versions", trimmed),
            ("reclaimed_entries", reclaimed),
        ] {
            let labels = [("kind", kind)];
            let mut counter = work.encode_family(&labels)?;
            counter.encode_counter::<NoLabelSet, u64, u64>(&count, None)?;
        }
        encoder
            .encode_descriptor(
                "planisphere_evaluated_slices",
                "Slices of work granted to long queries",
                None,
                MetricType::Counter,
            )?
            .encode_counter::<NoLabelSet, u64, u64>(&self.evaluated_slices, None)?;
        encoder
            .encode_descriptor(
                "planisphere_read_only",
                "Whether the store refuses writes",
                None,
                MetricType::Gauge,
            )?
            .encode_gauge(&u64::from(self.is_read_only))?;
        if self.containers.is_empty() {
            return Ok(());
        }
        let encoder = &mut encoder;
        self.gauge(encoder, "planisphere_container_items", "Items stored", |it| it.items)?;
        self.gauge(encoder, "planisphere_container_bytes", "Bytes of items", |it| it.bytes)?;
        let help = "Physical partitions";
        self.gauge(encoder, "planisphere_container_partitions", help, |it| it.partitions)?;
        let help = "Requests, by operation";
        self.counter(encoder, "planisphere_container_requests", help, |it| float(it.requests))?;
        let help = "Requests that failed, by operation";
        self.counter(encoder, "planisphere_container_failed", help, |it| float(it.failed))?;
        let help = "Requests answered with 429, by operation";
        self.counter(encoder, "planisphere_container_throttled", help, |it| float(it.throttled))?;
        let help = "Request units charged, by operation";
        self.counter(encoder, "planisphere_container_request_units", help, |it| it.request_units)
    }
}
