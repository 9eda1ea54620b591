//! The running minimum or maximum.
//!
//! Owns the poisoning by arrays and objects, and the count that tells "no values" from "poisoned".

use std::cmp::Ordering;

use crate::value::{Value, total_order};

/// Which end is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExtremeKind {
    Least,
    Greatest,
}

/// The best value so far and how many were seen; undefined with a count above zero means poisoned.
#[derive(Clone, Debug)]
pub(super) struct Extreme {
    end: ExtremeKind,
    best: Value,
    count: i64,
}

impl Extreme {
    pub(super) fn new(end: ExtremeKind) -> Self {
        Self { end, best: Value::Undefined, count: 0 }
    }

    /// The state behind `{"min": …, "count": …}`; none when it is no such object.
    pub(super) fn from_partial(end: ExtremeKind, partial: &Value) -> Option<Self> {
        let count = partial.property("count").as_i64().filter(|count| *count >= 0)?;
        let best = partial.property(label(end));
        let is_poisoned = matches!(best, Value::Array(_) | Value::Object(_)) || count == 0;
        let best = if is_poisoned { Value::Undefined } else { best };
        Some(Self { end, best, count })
    }

    /// Takes a defined value into account.
    pub(super) fn add(&mut self, value: Value) {
        let best = if matches!(value, Value::Array(_) | Value::Object(_)) {
            Value::Undefined
        } else {
            value
        };
        self.merge(&Self { end: self.end, best, count: 1 });
    }

    /// Takes a state reached elsewhere into account.
    pub(super) fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        let is_poisoned = self.is_poisoned() || other.is_poisoned();
        let is_better = match self.end {
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
        Value::object([(label(self.end), self.best.clone()), ("count", self.count.into())])
    }

    fn is_poisoned(&self) -> bool {
        self.count > 0 && !self.best.is_defined()
    }
}

fn label(end: ExtremeKind) -> &'static str {
    match end {
        ExtremeKind::Least => "min",
        ExtremeKind::Greatest => "max",
    }
}
