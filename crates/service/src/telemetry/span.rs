//! A span as it is kept while it runs, and when it ended.
//!
//! Owns reading fields. The names of data calls' fields are those of `client`.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::Duration;

use tracing::field::{Field, Visit};

/// The target of spans of data calls.
pub(super) const CALL_TARGET: &str = "client::call";

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Text(String),
    Int(i64),
    Float(f64),
    Bool(bool),
}

/// The fields of a span, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fields(pub(super) BTreeMap<&'static str, Value>);

/// A span that runs.
#[derive(Clone, Debug)]
pub(super) struct Running {
    pub(super) trace: u128,
    pub(super) span: u64,
    pub(super) parent: Option<u64>,
    pub(super) began_ms: u64,
    pub(super) stopwatch: Duration,
    pub(super) fields: Fields,
}

/// A span that ended.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) running: Running,
    pub(super) name: &'static str,
    pub(super) is_call: bool,
    pub(super) took: Duration,
}

impl Fields {
    pub(super) fn text(&self, name: &str) -> &str {
        match self.0.get(name) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    /// A number, whatever its kind; zero when there is none.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    pub(super) fn number(&self, name: &str) -> f64 {
        match self.0.get(name) {
            Some(Value::Int(number)) => *number as f64,
            Some(Value::Float(number)) => *number,
            _ => 0.0,
        }
    }
}

impl Value {
    /// The value as the text of a label.
    pub(super) fn label(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Int(number) => number.to_string(),
            Self::Float(number) => number.to_string(),
            Self::Bool(value) => value.to_string(),
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), Value::Text(format!("{value:?}")));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), Value::Text(value.to_owned()));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.insert(field.name(), Value::Float(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name(), Value::Int(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name(), Value::Int(i64::try_from(value).unwrap_or(i64::MAX)));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name(), Value::Bool(value));
    }
}
