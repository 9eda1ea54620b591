//! Spans and totals in the JSON encoding of the OpenTelemetry protocol.
//!
//! Owns the encoding and the attribute names, which follow the semantic conventions where those have a name. In this
//! encoding 64-bit integers are strings and ids are hexadecimal digits.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::span::{FieldValue, FinishedSpan};
use super::totals::{COUNTERS, CallSeries, MetricLabels};

/// Our fields of data calls, and their names in the semantic conventions.
const CALL_ATTRIBUTES: [(&str, &str); 5] = [
    ("operation", "db.operation.name"),
    ("database", "db.namespace"),
    ("container", "db.collection.name"),
    ("request_units", "azure.cosmosdb.operation.request_charge"),
    ("rows", "db.response.returned_rows"),
];

/// Statuses that a program expects in normal operation; they do not mark a span as failed.
const EXPECTED_STATUSES: [&str; 4] = ["ok", "not found", "conflict", "precondition"];

/// The body of a request to `/v1/traces`.
pub(super) fn traces(service_name: &str, spans: &[FinishedSpan]) -> Json {
    let spans: Vec<Json> = spans.iter().map(span).collect();
    let scope = json!({"scope": {"name": "data calls"}, "spans": spans});
    json!({"resourceSpans": [{"resource": resource(service_name), "scopeSpans": [scope]}]})
}

/// The body of a request to `/v1/metrics`: sums since the process started.
pub(super) fn metrics(
    service_name: &str,
    series: &CallSeries,
    (started_ms, now_ms): (u64, u64),
) -> Json {
    let point = |labels: &MetricLabels, total: f64| {
        let attributes: Vec<Json> = labels
            .iter()
            .map(|(name, value)| attribute(name, &json!({"stringValue": value})))
            .collect();
        json!({
            "attributes": attributes,
            "startTimeUnixNano": nanoseconds(started_ms, Duration::ZERO),
            "timeUnixNano": nanoseconds(now_ms, Duration::ZERO),
            "asDouble": total,
        })
    };
    let metrics = COUNTERS.iter().enumerate().map(|(index, (name, help))| {
        let total = |totals: &[f64; COUNTERS.len()]| totals.get(index).copied().unwrap_or_default();
        let points: Vec<Json> =
            series.iter().map(|(labels, totals)| point(labels, total(totals))).collect();
        // Temporality 2 is cumulative: totals since the start, not differences.
        let sum = json!({"aggregationTemporality": 2, "isMonotonic": true, "dataPoints": points});
        json!({"name": name, "description": help, "sum": sum})
    });
    let metrics: Vec<Json> = metrics.collect();
    let scope = json!({"scope": {"name": "data calls"}, "metrics": metrics});
    json!({"resourceMetrics": [{"resource": resource(service_name), "scopeMetrics": [scope]}]})
}

fn span(finished: &FinishedSpan) -> Json {
    let open = &finished.span;
    let mut span = json!({
        "traceId": format!("{:032x}", open.trace_id),
        "spanId": format!("{:016x}", open.span_id),
        "name": name(finished),
        // Kind 3 is a client call, kind 1 is internal.
        "kind": if finished.is_call { 3 } else { 1 },
        "startTimeUnixNano": nanoseconds(open.started_ms, Duration::ZERO),
        "endTimeUnixNano": nanoseconds(open.started_ms, finished.elapsed),
        "attributes": attributes(finished),
        "status": status(finished),
    });
    if let (Some(parent), Some(object)) = (open.parent_id, span.as_object_mut()) {
        object.insert("parentSpanId".to_owned(), format!("{parent:016x}").into());
    }
    span
}

/// Operation and container for data calls; otherwise the name of the span.
fn name(finished: &FinishedSpan) -> String {
    let fields = &finished.span.fields;
    match (finished.is_call, fields.text("container")) {
        (false, _) => finished.name.to_owned(),
        (true, "") => fields.text("operation").to_owned(),
        (true, container) => format!("{} {container}", fields.text("operation")),
    }
}

fn attributes(finished: &FinishedSpan) -> Vec<Json> {
    let known = |name: &str| {
        let known = CALL_ATTRIBUTES.iter().find(|(ours, _)| *ours == name);
        known.filter(|_| finished.is_call).map(|(_, convention)| *convention)
    };
    let mut attributes = Vec::new();
    if finished.is_call {
        attributes.push(attribute("db.system.name", &json!({"stringValue": "azure.cosmosdb"})));
    }
    for (name, value) in &finished.span.fields.0 {
        let value = match value {
            FieldValue::Text(text) => json!({"stringValue": text}),
            FieldValue::Int(number) => json!({"intValue": number.to_string()}),
            FieldValue::Float(number) => json!({"doubleValue": number}),
            FieldValue::Bool(value) => json!({"boolValue": value}),
        };
        attributes.push(attribute(known(name).unwrap_or(name), &value));
    }
    attributes
}

fn status(finished: &FinishedSpan) -> Json {
    // Only data calls have the field. One without it was dropped by its caller, which is no failure of the call.
    let status = finished.span.fields.text("status");
    // Code 2 is an error, 0 is unset.
    match !finished.is_call || status.is_empty() || EXPECTED_STATUSES.contains(&status) {
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
