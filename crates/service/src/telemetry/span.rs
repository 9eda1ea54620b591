//! A span while it is open, and after it has finished.
//!
//! Owns recording its fields. The names of the fields of data calls are those of `client`.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::Duration;

use tracing::field::{Field, Visit};

/// The tracing target of the spans of data calls.
pub(super) const CALL_TARGET: &str = "client::call";

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FieldValue {
    Text(String),
    Int(i64),
    Float(f64),
    Bool(bool),
}

/// The fields of a span, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SpanFields(pub(super) BTreeMap<&'static str, FieldValue>);

/// A span that is open. It is stored in the extensions of the `tracing` registry.
#[derive(Clone, Debug)]
pub(super) struct OpenSpan {
    pub(super) trace_id: u128,
    pub(super) span_id: u64,
    pub(super) parent_id: Option<u64>,
    pub(super) started_ms: u64,
    pub(super) stopwatch: Duration,
    pub(super) fields: SpanFields,
}

/// A span that has finished.
#[derive(Clone, Debug)]
pub(super) struct FinishedSpan {
    pub(super) span: OpenSpan,
    pub(super) name: &'static str,
    pub(super) is_call: bool,
    pub(super) elapsed: Duration,
}

impl SpanFields {
    pub(super) fn text(&self, name: &str) -> &str {
        match self.0.get(name) {
            Some(FieldValue::Text(text)) => text,
            _ => "",
        }
    }

    /// A number of either kind; zero if the field is absent.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    pub(super) fn number(&self, name: &str) -> f64 {
        match self.0.get(name) {
            Some(FieldValue::Int(number)) => *number as f64,
            Some(FieldValue::Float(number)) => *number,
            _ => 0.0,
        }
    }
}

impl FieldValue {
    /// The value as text of a label.
    pub(super) fn label(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Int(number) => number.to_string(),
            Self::Float(number) => number.to_string(),
            Self::Bool(value) => value.to_string(),
        }
    }
}

impl Visit for SpanFields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), FieldValue::Text(format!("{value:?}")));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), FieldValue::Text(value.to_owned()));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.insert(field.name(), FieldValue::Float(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name(), FieldValue::Int(value));
    }

    // The protocol has only signed integers.
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name(), FieldValue::Int(i64::try_from(value).unwrap_or(i64::MAX)));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name(), FieldValue::Bool(value));
    }
}
