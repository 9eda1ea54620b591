//! Builds the report: one section per container, with findings as sentences.

use model::{Json, Object, PartitionKeyDefinition};

use super::super::document::{FORMAT, decimal};
use super::member::{list, number, ratio, sum, text};
use super::{candidate, indexes, prices::PriceTable, provision, share};
use crate::error::{Error, Result};

/// A logical partition with at least this share of the request units is hot,
const HOT_SHARE: f64 = 0.2;
/// if that is also at least this multiple of an even share.
const HOT_FACTOR: f64 = 2.0;
/// A query with at least this share of the request units is reported.
const QUERY_SHARE: f64 = 0.05;

/// Builds the report of a usage document. With a candidate, it also estimates the effect of that partition key.
///
/// # Errors
/// `Invalid` if the document has another format.
pub fn report(
    usage: &Json,
    prices: &PriceTable,
    candidate: Option<&PartitionKeyDefinition>,
) -> Result<Json> {
    if text(usage, "format") != FORMAT {
        return Err(Error::invalid(format!(
            "This is not a usage document: its format is '{}', but must be '{FORMAT}'.",
            text(usage, "format")
        )));
    }
    let mut report = Object::new();
    report.insert("format", "planisphere-report-1");
    for name in ["account", "began", "taken", "hours"] {
        report.insert(name, usage.get(name).cloned().unwrap_or(Json::Null));
    }
    report.insert("prices", prices.to_json());
    let hours = number(usage, "hours");
    let sections = list(usage, "containers")
        .iter()
        .map(|container| section(container, hours, prices, candidate))
        .collect::<Vec<_>>();
    report.insert("containers", sections);
    Ok(Json::Object(report))
}

fn section(
    container: &Json,
    hours: f64,
    prices: &PriceTable,
    candidate: Option<&PartitionKeyDefinition>,
) -> Json {
    let total = sum(list(container, "operations"), "requestUnits");
    let needed = provision::needed_throughput(container, hours, prices);
    let mut object = Object::new();
    for name in ["database", "container", "partitionKey", "enforced"] {
        object.insert(name, container.get(name).cloned().unwrap_or(Json::Null));
    }
    object.insert("totals", totals(container, total, prices));
    object.insert("operations", share::operations(container, total));
    object.insert("physicalPartitions", share::physical(container, total));
    object.insert("logicalPartitions", share::logical(container, total));
    object.insert("queries", share::queries(container, total));
    object.insert("unusedIndexes", indexes::unused(container));
    let findings = findings(container, &object, &needed);
    object.insert("throughput", needed.json);
    if let Some(candidate) = candidate {
        object.insert("candidate", candidate::evaluate(container, candidate));
    }
    object.insert("findings", findings);
    Json::Object(object)
}

fn totals(container: &Json, total: f64, prices: &PriceTable) -> Json {
    let (operations, partitions) = (list(container, "operations"), list(container, "partitions"));
    let bytes = sum(partitions, "bytes");
    let mut object = Object::new();
    object.insert("requests", decimal(sum(operations, "requests")));
    object.insert("throttled", decimal(sum(operations, "throttled")));
    object.insert("failed", decimal(sum(operations, "failed")));
    object.insert("requestUnits", decimal(total));
    object.insert("items", decimal(sum(partitions, "items")));
    object.insert("bytes", decimal(bytes));
    object.insert("storagePricePerMonth", decimal(prices.storage_per_month(bytes)));
    Json::Object(object)
}

fn findings(container: &Json, section: &Object, needed: &provision::NeededThroughput) -> Vec<Json> {
    let rows = |name: &str| section.get(name).and_then(Json::as_array).unwrap_or_default();
    let mut findings = Vec::new();
    let known = u32::try_from(list(container, "logicalPartitions").len()).unwrap_or(u32::MAX);
    if let Some(hot) = rows("logicalPartitions").first()
        // With few keys a large share is normal: two keys have half each.
        && number(hot, "share") >= HOT_SHARE.max(HOT_FACTOR / f64::from(known.max(1)))
    {
        findings.push(format!(
            "Hot partition: the partition key {} takes {} of the request units.",
            hot.get("partitionKey").unwrap_or(&Json::Null),
            percent(number(hot, "share"))
        ));
    }
    for query in rows("queries").iter().filter(|query| number(query, "share") >= QUERY_SHARE) {
        findings.extend(query_finding(query));
    }
    let throttled = sum(list(container, "operations"), "throttled");
    if throttled > 0.0 {
        findings.push(format!(
            "{throttled} requests were throttled: the needed throughput is at least what is reported here."
        ));
    }
    if provision::is_beyond_one_partition(needed.partition_peak) {
        findings.push(
            "One physical partition needed more than 10000 request units in a second: no throughput \
             allows that. Spread the load over more partition keys."
                .to_owned(),
        );
    }
    let unused = sum(rows("unusedIndexes"), "requestUnitsPerWrite");
    if unused >= 0.5 && !rows("queries").is_empty() {
        findings.push(format!(
            "Indexed paths that no query has used cost {unused:.2} request units of each write of a complete item."
        ));
    }
    let provisioned = container
        .get("throughput")
        .map_or(0.0, |throughput| number(throughput, "requestUnitsPerSecond"));
    // Not after throttling: what was refused is missing in the needed throughput.
    if provisioned > 0.0 && throttled == 0.0 && needed.manual * 2.0 <= provisioned {
        let share = percent(ratio(needed.manual, provisioned));
        findings.push(format!("{share} of the provisioned throughput would have been enough."));
    }
    findings.into_iter().map(Json::from).collect()
}

fn query_finding(query: &Json) -> Option<String> {
    let scans = number(query, "scanShare") > 0.0;
    let fans_out = number(query, "physicalPartitionsPerRequest") > 1.0
        || number(query, "acrossPartitionsShare") > 0.5;
    let problem = match (scans, fans_out) {
        (true, true) => "reads items without an index and is not confined to one partition key",
        (true, false) => "reads items without an index",
        (false, true) => "is not confined to one partition key",
        (false, false) => return None,
    };
    let suggestion = match query.get("indexThatWouldServe") {
        Some(index) => format!(" This index would serve it: {index}"),
        None => String::new(),
    };
    let share = percent(number(query, "share"));
    Some(format!(
        "A query with {share} of the request units {problem}: {}{suggestion}",
        text(query, "shape")
    ))
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
