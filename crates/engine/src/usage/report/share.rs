//! Shares of the total charge: by operation, physical partition, logical partition and query.

use model::{Json, Object};

use super::super::document::decimal;
use super::indexes::needed_index;
use super::member::{list, number, ratio, text};

/// Rows of tables that can be long.
const ROWS_MAX: usize = 20;

pub(super) fn operations(container: &Json, total: f64) -> Vec<Json> {
    let mut operations = list(container, "operations").to_vec();
    operations.sort_by(|left, right| by_units(right, left));
    operations.into_iter().map(|operation| with_share(operation, total)).collect()
}

pub(super) fn physical(container: &Json, total: f64) -> Vec<Json> {
    let partitions = list(container, "partitions").iter().cloned();
    let rows = partitions.map(|partition| {
        let peaks = list(&partition, "hours").iter().map(|hour| number(hour, "peakPerSecond"));
        let peak = peaks.fold(0.0, f64::max);
        let mut row = with_share(partition, total);
        if let Json::Object(object) = &mut row {
            object.remove("hours");
            object.insert("peakPerSecond", decimal(peak));
        }
        row
    });
    rows.collect()
}

pub(super) fn logical(container: &Json, total: f64) -> Vec<Json> {
    let partitions = list(container, "logicalPartitions").iter().take(ROWS_MAX).cloned();
    partitions.map(|partition| with_share(partition, total)).collect()
}

pub(super) fn queries(container: &Json, total: f64) -> Vec<Json> {
    let queries = list(container, "queries").iter().take(ROWS_MAX);
    let rows = queries.map(|query| {
        let requests = number(query, "requests");
        let mut object = Object::new();
        object.insert("shape", text(query, "shape"));
        object.insert("requests", decimal(requests));
        object.insert("requestUnits", decimal(number(query, "requestUnits")));
        object.insert("share", decimal(ratio(number(query, "requestUnits"), total)));
        object.insert("excessMax", decimal(number(query, "excessMax")));
        let per_request = ratio(number(query, "requestUnits"), requests);
        object.insert("requestUnitsPerRequest", decimal(per_request));
        let across = ratio(number(query, "acrossPartitions"), requests);
        object.insert("acrossPartitionsShare", decimal(across));
        let partitions = ratio(number(query, "physicalPartitions"), requests);
        object.insert("physicalPartitionsPerRequest", decimal(partitions));
        object.insert("scanShare", decimal(ratio(number(query, "scans"), requests)));
        let retrieved =
            ratio(number(query, "retrievedItems"), number(query, "outputItems").max(1.0));
        object.insert("itemsReadPerRow", decimal(retrieved));
        if let Some(index) = needed_index(query) {
            object.insert("indexThatWouldServe", index);
        }
        Json::Object(object)
    });
    rows.collect()
}

fn with_share(mut row: Json, total: f64) -> Json {
    let units = number(&row, "requestUnits");
    let requests = number(&row, "requests");
    if let Json::Object(object) = &mut row {
        object.insert("share", decimal(ratio(units, total)));
        object.insert("requestUnitsPerRequest", decimal(ratio(units, requests)));
    }
    row
}

fn by_units(left: &Json, right: &Json) -> std::cmp::Ordering {
    number(left, "requestUnits").total_cmp(&number(right, "requestUnits"))
}
