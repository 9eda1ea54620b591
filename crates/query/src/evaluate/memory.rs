//! The bytes a query holds, and the tuples it makes.
//!
//! Owns the counters of both, the bound on held rows and the size of a value. The size is an estimate from above for
//! values that share parts: each holder counts what it holds.

use std::cell::Cell;

use super::EvaluationError;
use crate::value::Value;

/// How many bytes are held, and how many may be.
#[derive(Debug)]
pub(crate) struct MemoryBudget {
    held: Cell<usize>,
    tuples: Cell<u64>,
    bytes_max: usize,
}

impl MemoryBudget {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { held: Cell::new(0), tuples: Cell::new(0), bytes_max }
    }

    /// Counts bytes that are kept from now on.
    pub(crate) fn hold(&self, bytes: usize) -> Result<(), EvaluationError> {
        let held = self.held.get().saturating_add(bytes);
        self.held.set(held);
        if held > self.bytes_max {
            return Err(EvaluationError::HeldBytes { bytes_max: self.bytes_max });
        }
        Ok(())
    }

    /// Counts bytes that are let go.
    pub(crate) fn release(&self, bytes: usize) {
        self.held.set(self.held.get().saturating_sub(bytes));
    }

    /// Counts an array element that was iterated: alone, or as part of a joined row.
    pub(crate) fn count_tuple(&self) {
        self.tuples.set(self.tuples.get().saturating_add(1));
    }

    /// How many elements were iterated.
    pub(crate) fn tuples(&self) -> u64 {
        self.tuples.get()
    }

    /// Forgets elements that will be iterated once more.
    pub(crate) fn forget_tuples_after(&self, tuples: u64) {
        self.tuples.set(tuples);
    }

    /// How many bytes are held now.
    pub(crate) fn held(&self) -> usize {
        self.held.get()
    }
}

/// The bytes of a value with everything below it.
pub(crate) fn value_bytes(value: &Value) -> usize {
    let below = match value {
        Value::Undefined | Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Double(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(elements) => elements.iter().map(value_bytes).sum(),
        Value::Object(object) => object
            .iter()
            .map(|(name, value)| size_of_val(name) + name.len() + value_bytes(value))
            .sum(),
    };
    size_of::<Value>() + below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_what_may_be_held() {
        let memory = MemoryBudget::new(100);
        assert_eq!(memory.hold(100), Ok(()));
        assert_eq!(memory.hold(1), Err(EvaluationError::HeldBytes { bytes_max: 100 }));
        memory.release(51);
        assert_eq!(memory.hold(50), Ok(()));
        assert_eq!(memory.held(), 100);
    }

    #[test]
    fn a_value_counts_all_its_parts() {
        let text = Value::from("x".repeat(1000));
        let array = Value::array([text.clone(), text.clone()]);
        assert!(value_bytes(&text) > 1000);
        assert!(value_bytes(&array) > 2 * value_bytes(&text));
        assert!(value_bytes(&Value::object([("name", array.clone())])) > value_bytes(&array) + 4);
    }
}
