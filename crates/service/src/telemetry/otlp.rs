//! Spans and totals in the JSON form of the OpenTelemetry protocol.
//!
//! Owns the form and the names of attributes, which are those of the conventions where they have one. Whole numbers are
//! texts in it, ids are hexadecimal digits.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::span::{Ended, Value};
use super::totals::{COUNTERS, Labels};

/// Our fields of data calls, and what the conventions call them.
const CALL_ATTRIBUTES: [(&str, &str); 5] = [
    ("operation", "db.operation.name"),
    ("database", "db.namespace"),
    ("container", "db.collection.name"),
    ("request_units", "azure.cosmosdb.operation.request_charge"),
    ("rows", "db.response.returned_rows"),
];

/// Answers that are part of a program's normal course.
const NO_ERRORS: [&str; 4] = ["ok", "not found", "conflict", "precondition"];

/// The body of a request to `/v1/traces`.
pub(super) fn traces(service_name: &str, spans: &[Ended]) -> Json {
    let spans: Vec<Json> = spans.iter().map(span).collect();
    let scope = json!({"scope": {"name": "data calls"}, "spans": spans});
    json!({"resourceSpans": [{"resource": resource(service_name), "scopeSpans": [scope]}]})
}

/// The body of a request to `/v1/metrics`: sums since the program began.
pub(super) fn metrics(
    service_name: &str,
    series: &BTreeMap<Labels, [f64; COUNTERS.len()]>,
    (began_ms, now_ms): (u64, u64),
) -> Json {
    let point = |labels: &Labels, total: f64| {
        let attributes: Vec<Json> = labels
            .iter()
            .map(|(name, value)| attribute(name, &json!({"stringValue": value})))
            .collect();
        json!({
            "attributes": attributes,
            "startTimeUnixNano": nanoseconds(began_ms, Duration::ZERO),
            "timeUnixNano": nanoseconds(now_ms, Duration::ZERO),
            "asDouble": total,
        })
    };
    let metrics = COUNTERS.iter().enumerate().map(|(place, (name, help))| {
        let total = |totals: &[f64; COUNTERS.len()]| totals.get(place).copied().unwrap_or_default();
        let points: Vec<Json> =
            series.iter().map(|(labels, totals)| point(labels, total(totals))).collect();
        // Temporality 2: totals since the start, not differences.
        let sum = json!({"aggregationTemporality": 2, "isMonotonic": true, "dataPoints": points});
        json!({"name": name, "description": help, "sum": sum})
    });
    let metrics: Vec<Json> = metrics.collect();
    let scope = json!({"scope": {"name": "data calls"}, "metrics": metrics});
    json!({"resourceMetrics": [{"resource": resource(service_name), "scopeMetrics": [scope]}]})
}

fn span(ended: &Ended) -> Json {
    let running = &ended.running;
    let mut told = json!({
        "traceId": format!("{:032x}", running.trace),
        "spanId": format!("{:016x}", running.span),
        "name": name(ended),
        // Kind 3 asks another for something, kind 1 is inside.
        "kind": if ended.is_call { 3 } else { 1 },
        "startTimeUnixNano": nanoseconds(running.began_ms, Duration::ZERO),
        "endTimeUnixNano": nanoseconds(running.began_ms, ended.took),
        "attributes": attributes(ended),
        "status": status(ended),
    });
    if let (Some(parent), Some(object)) = (running.parent, told.as_object_mut()) {
        object.insert("parentSpanId".to_owned(), format!("{parent:016x}").into());
    }
    told
}

/// What was asked of what, for data calls; otherwise the name the program gave it.
fn name(ended: &Ended) -> String {
    let fields = &ended.running.fields;
    match (ended.is_call, fields.text("container")) {
        (false, _) => ended.name.to_owned(),
        (true, "") => fields.text("operation").to_owned(),
        (true, container) => format!("{} {container}", fields.text("operation")),
    }
}

fn attributes(ended: &Ended) -> Vec<Json> {
    let known = |name: &str| {
        let known = CALL_ATTRIBUTES.iter().find(|(ours, _)| *ours == name);
        known.filter(|_| ended.is_call).map(|(_, convention)| *convention)
    };
    let mut attributes = Vec::new();
    if ended.is_call {
        attributes.push(attribute("db.system.name", &json!({"stringValue": "azure.cosmosdb"})));
    }
    for (name, value) in &ended.running.fields.0 {
        let value = match value {
            Value::Text(text) => json!({"stringValue": text}),
            Value::Int(number) => json!({"intValue": number.to_string()}),
            Value::Float(number) => json!({"doubleValue": number}),
            Value::Bool(value) => json!({"boolValue": value}),
        };
        attributes.push(attribute(known(name).unwrap_or(name), &value));
    }
    attributes
}

fn status(ended: &Ended) -> Json {
    let status = ended.running.fields.text("status");
    // Code 2 is an error, 0 says nothing.
    match !ended.is_call || status.is_empty() || NO_ERRORS.contains(&status) {
        true => json!({"code": 0}),
        false => json!({"code": 2, "message": status}),
    }
}

fn resource(service_name: &str) -> Json {
    json!({"attributes": [attribute("service.name", &json!({"stringValue": service_name}))]})
}

fn attribute(key: &str, value: &Json) -> Json {
    json!({"key": key, "value": value})
}

fn nanoseconds(ms: u64, after: Duration) -> String {
    (Duration::from_millis(ms) + after).as_nanos().to_string()
}
