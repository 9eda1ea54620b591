//! The running minimum or maximum.
//!
//! Owns the poisoning by arrays and objects: one of them makes the result undefined for good. The count distinguishes
//! "no values" from "poisoned", which both have an undefined best value.

use std::cmp::Ordering;

use crate::value::{Value, total_order};

/// Minimum or maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExtremeKind {
    Least,
    Greatest,
}

/// The best value so far and the number of values. Undefined with a count above zero means poisoned.
#[derive(Clone, Debug)]
pub(super) struct Extreme {
    kind: ExtremeKind,
    best: Value,
    count: i64,
}

impl Extreme {
    pub(super) fn new(kind: ExtremeKind) -> Self {
        Self { kind, best: Value::Undefined, count: 0 }
    }

    /// Restores the state from `{"min": …, "count": …}`; `None` for any other value.
    pub(super) fn from_partial(kind: ExtremeKind, partial: &Value) -> Option<Self> {
        let count = partial.property("count").as_i64().filter(|count| *count >= 0)?;
        let best = partial.property(label(kind));
        // An array or object is never the best value, and without values there is none.
        let is_poisoned = matches!(best, Value::Array(_) | Value::Object(_)) || count == 0;
        // The partial may come from a client. Without this, an array sent as the best value would be ordered like a
        // scalar.
        let best = if is_poisoned { Value::Undefined } else { best };
        Some(Self { kind, best, count })
    }

    /// Adds a defined value.
    pub(super) fn add(&mut self, value: Value) {
        let best = if matches!(value, Value::Array(_) | Value::Object(_)) {
            Value::Undefined
        } else {
            value
        };
        self.merge(&Self { kind: self.kind, best, count: 1 });
    }

    /// Merges the state over other rows.
    pub(super) fn merge(&mut self, other: &Self) {
        // A partition without values must not poison the result.
        if other.count == 0 {
            return;
        }
        let is_poisoned = self.is_poisoned() || other.is_poisoned();
        let is_better = match self.kind {
            ExtremeKind::Least => Ordering::is_lt,
            ExtremeKind::Greatest => Ordering::is_gt,
        };
        if is_poisoned {
            self.best = Value::Undefined;
        } else if self.count == 0 || is_better(total_order(&other.best, &self.best)) {
            self.best = other.best.clone();
        }
        self.count = self.count.saturating_add(other.count);
    }

    pub(super) fn value(&self) -> Value {
        self.best.clone()
    }

    pub(super) fn partial(&self) -> Value {
        Value::object([(label(self.kind), self.best.clone()), ("count", self.count.into())])
    }

    fn is_poisoned(&self) -> bool {
        self.count > 0 && !self.best.is_defined()
    }
}

fn label(kind: ExtremeKind) -> &'static str {
    match kind {
        ExtremeKind::Least => "min",
        ExtremeKind::Greatest => "max",
    }
}
