//! All counters as one JSON document, which is saved, sent and made into a report.
//!
//! Owns its members and its format name. Request units are numbers with two decimals. Does not own conclusions: see
//! `report`.

use std::sync::Arc;

use model::{Json, Number, Object, RequestCharge, Throughput};

use crate::catalog::ContainerEntry;
use crate::engine::Engine;
use crate::key_layout::LogicalPartition;
use crate::metering::{BusyPartition, Counts, Hour, Meter, OperationKind, ShapeUse};

/// The name of the format.
pub(super) const FORMAT: &str = "planisphere-usage-1";
/// Logical partitions in the document, of all that are counted.
const LOGICAL_PARTITIONS_MAX: usize = 100;
const MS_PER_HOUR: u64 = 3_600_000;

impl Engine {
    /// The usage since the engine was opened, as the document that [`crate::usage::report`] reads.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use planisphere_engine::{ContainerLink, Engine, operation::*};
    /// # let engine = Engine::in_memory().await?;
    /// # let orders = ContainerLink::new("shop", "orders")?;
    /// # let properties = model::DatabaseProperties { id: orders.database.clone() };
    /// # engine.create_database(CreateDatabase { properties, throughput: None }).await?;
    /// # let key = model::PartitionKeyDefinition::single("/customer")?;
    /// # let properties = model::ContainerProperties::new(orders.container.clone(), key);
    /// # let database = orders.database.clone();
    /// # engine.create_container(CreateContainer { database, properties, throughput: None }).await?;
    /// let report = planisphere_engine::usage::report(&engine.usage(), &Default::default(), None)?;
    /// println!("{report}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn usage(&self) -> Json {
        let mut document = Object::new();
        document.insert("format", FORMAT);
        document.insert("account", self.core.settings.account_id.as_str());
        document.insert("began", integer(self.core.opened.0));
        document.insert("taken", integer(self.now().0));
        document.insert("hours", integer(self.hours_counted()));
        let mut containers = self.view().containers();
        // By name, so that two documents can be compared line by line.
        containers.sort_by_key(|container| container.link.to_string());
        let containers = containers.iter().map(|container| self.container_document(container));
        document.insert("containers", containers.collect::<Vec<_>>());
        Json::Object(document)
    }

    /// Clock hours since the engine was opened, including begun ones: autoscale is billed by clock hour.
    fn hours_counted(&self) -> u64 {
        // The clock may have been set back since the engine was opened.
        (self.now().0 / MS_PER_HOUR).saturating_sub(self.core.opened.0 / MS_PER_HOUR) + 1
    }

    fn container_document(&self, container: &Arc<ContainerEntry>) -> Json {
        let usage = &container.throughput.usage;
        let mut object = Object::new();
        object.insert("database", container.link.database.as_str());
        object.insert("container", container.link.container.as_str());
        let paths = container.identity.definition.paths().iter();
        object.insert(
            "partitionKey",
            paths.map(|path| Json::from(path.to_string())).collect::<Vec<_>>(),
        );
        object.insert("enforced", container.throughput.gate.is_enforced());
        object.insert("throughput", self.throughput_of(container));
        object.insert("partitions", partitions(container));
        let operations = OperationKind::ALL.map(|kind| operation(kind, &usage.counts(kind)));
        object.insert("operations", operations.into_iter().flatten().collect::<Vec<_>>());
        let busiest = usage.busiest.all();
        let busiest = busiest.iter().take(LOGICAL_PARTITIONS_MAX);
        object.insert("logicalPartitions", busiest.filter_map(logical).collect::<Vec<_>>());
        let queries = usage.shapes.all();
        let queries = queries.iter().map(|(text, used)| query(text, used));
        object.insert("queries", queries.collect::<Vec<_>>());
        object.insert("usedPaths", texts(&usage.shapes.used_paths()));
        object.insert("writtenPaths", written_paths(container));
        if self.core.settings.record_traffic {
            object.insert("traffic", usage.traffic.to_json());
        }
        Json::Object(object)
    }

    fn throughput_of(&self, container: &ContainerEntry) -> Json {
        let own = container.record().throughput;
        let database = self.database(&container.link.database).ok();
        let shared = database.and_then(|database| database.record.throughput.clone());
        let mut object = Object::new();
        object.insert("owner", if own.is_some() { "container" } else { "database" });
        if let Some(record) = own.or(shared) {
            let kind = match record.throughput {
                Throughput::Manual(_) => "manual",
                Throughput::Autoscale { .. } => "autoscale",
            };
            object.insert("kind", kind);
            object.insert("requestUnitsPerSecond", integer(u64::from(record.throughput.highest())));
        }
        object
            .insert("perPartition", integer(u64::from(container.throughput.gate.per_partition())));
        Json::Object(object)
    }
}

pub(super) fn integer(number: u64) -> Json {
    Json::from(i64::try_from(number).unwrap_or(i64::MAX))
}

/// A number with two decimals.
pub(super) fn decimal(number: f64) -> Json {
    let rounded = (number * 100.0).round() / 100.0;
    Number::from_f64(rounded).map_or(Json::Null, Json::Number)
}

fn request_units(charge: RequestCharge) -> Json {
    decimal(charge.as_f64())
}

fn texts<'a>(texts: impl IntoIterator<Item = &'a String>) -> Vec<Json> {
    texts.into_iter().map(|text| Json::from(text.as_str())).collect()
}

fn partitions(container: &ContainerEntry) -> Vec<Json> {
    let map = container.map();
    let each = container.throughput.usage.meters().into_iter().map(|(number, meter)| {
        let mut object = Object::new();
        object.insert("number", integer(u64::from(number)));
        let now = map.by_number(number);
        // Partitions that were split or merged away keep their counters, otherwise the sums would shrink.
        object.insert("retired", now.is_none());
        let holds = now.map(|partition| partition.published.usage()).unwrap_or_default();
        object.insert("items", integer(holds.items));
        object.insert("bytes", integer(holds.item_bytes));
        add_sums(&mut object, &meter);
        object.insert("hours", meter.series.hours().iter().map(hour).collect::<Vec<_>>());
        Json::Object(object)
    });
    each.collect()
}

fn add_sums(object: &mut Object, meter: &Meter) {
    let mut sum = Counts::default();
    OperationKind::ALL.iter().for_each(|kind| sum.add(&meter.counts(*kind)));
    add_counts(object, &sum);
}

fn add_counts(object: &mut Object, counts: &Counts) {
    object.insert("requests", integer(counts.requests));
    object.insert("failed", integer(counts.failed));
    object.insert("throttled", integer(counts.throttled));
    object.insert("requestUnits", request_units(counts.charge));
    object.insert("itemsHandled", integer(counts.items));
    object.insert("bytesHandled", integer(counts.bytes));
}

/// Hour since 1970, request units of its busiest second, of the whole hour, and seconds with any charge.
fn hour(hour: &Hour) -> Json {
    let units = |units: u64| request_units(RequestCharge::from_parts(units));
    let mut object = Object::new();
    object.insert("hour", integer(hour.hour));
    object.insert("peakPerSecond", units(hour.peak_parts));
    object.insert("requestUnits", units(hour.parts));
    object.insert("busySeconds", integer(hour.busy_seconds));
    Json::Object(object)
}

fn operation(kind: OperationKind, counts: &Counts) -> Option<Json> {
    let mut object = Object::new();
    object.insert("operation", kind.name());
    add_counts(&mut object, counts);
    (counts.requests + counts.throttled > 0).then_some(Json::Object(object))
}

fn logical(busy: &BusyPartition) -> Option<Json> {
    let mut object = Object::new();
    object.insert("partitionKey", LogicalPartition::partition_key(&busy.partition)?.to_json());
    object.insert("requestUnits", request_units(busy.charge));
    object.insert("excessMax", request_units(busy.excess));
    object.insert("requests", integer(busy.requests));
    object.insert("throttled", integer(busy.throttled));
    Some(Json::Object(object))
}

fn query(text: &str, used: &ShapeUse) -> Json {
    let mut object = Object::new();
    object.insert("shape", text);
    object.insert("requests", integer(used.requests));
    object.insert("requestUnits", request_units(used.charge));
    object.insert("excessMax", request_units(used.excess));
    object.insert("acrossPartitions", integer(used.across));
    object.insert("physicalPartitions", integer(used.partitions));
    object.insert("scans", integer(used.scans));
    object.insert("retrievedItems", integer(used.retrieved_items));
    object.insert("outputItems", integer(used.output_items));
    object.insert("helpingPaths", texts(&used.helping_paths));
    let composites = used.helping_composites.iter().map(|specs| Json::Array(texts(specs)));
    object.insert("helpingComposites", composites.collect::<Vec<_>>());
    Json::Object(object)
}

fn written_paths(container: &ContainerEntry) -> Json {
    let sample = container.throughput.usage.written_paths.sample();
    let mut object = Object::new();
    object.insert("sampledWrites", integer(sample.writes));
    let mut paths = Object::new();
    for (path, units) in &sample.index_units {
        paths.insert(path.as_str(), request_units(RequestCharge::from_units(*units)));
    }
    object.insert("requestUnitsByPath", paths);
    Json::Object(object)
}
