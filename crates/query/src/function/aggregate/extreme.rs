//! The running minimum or maximum.
//!
//! Owns the poisoning by arrays and objects: one of them makes the result undefined for good.

use std::cmp::Ordering;

use crate::value::{Value, total_order};

/// Minimum or maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExtremeKind {
    Least,
    Greatest,
}

/// The best value so far; undefined before the first value and once poisoned.
#[derive(Clone, Debug)]
pub(super) struct Extreme {
    kind: ExtremeKind,
    best: Value,
    is_poisoned: bool,
}

impl Extreme {
    pub(super) fn new(kind: ExtremeKind) -> Self {
        Self { kind, best: Value::Undefined, is_poisoned: false }
    }

    /// Adds a defined value.
    pub(super) fn add(&mut self, value: Value) {
        let is_better = match self.kind {
            ExtremeKind::Least => Ordering::is_lt,
            ExtremeKind::Greatest => Ordering::is_gt,
        };
        if self.is_poisoned || matches!(value, Value::Array(_) | Value::Object(_)) {
            self.is_poisoned = true;
            self.best = Value::Undefined;
        } else if !self.best.is_defined() || is_better(total_order(&value, &self.best)) {
            self.best = value;
        }
    }

    pub(super) fn value(&self) -> Value {
        self.best.clone()
    }

    /// The bytes of the best value, if it is a string.
    pub(super) fn text_bytes(&self) -> usize {
        self.best.as_str().map_or(0, str::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_makes_the_result_undefined_for_good() {
        let mut least = Extreme::new(ExtremeKind::Least);
        for value in [Value::from(3), Value::from(2), Value::from("a")] {
            least.add(value);
        }
        assert_eq!(least.value(), Value::from(2));
        least.add(Value::array([]));
        least.add(Value::from(1));
        assert_eq!(least.value(), Value::Undefined);
    }
}
