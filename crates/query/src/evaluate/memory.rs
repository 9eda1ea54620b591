//! The memory limit of a query, and its tuple counter.
//!
//! Owns both counters, the limit on kept rows and the size of a value. The size is an upper bound for values that share
//! parts: every owner counts the whole value.

use std::cell::Cell;

use super::EvaluationError;
use crate::value::Value;

/// Counts the bytes that a query keeps, against a limit. A query runs on one thread at a time, so plain cells suffice.
#[derive(Debug)]
pub(crate) struct MemoryBudget {
    reserved: Cell<usize>,
    tuples: Cell<u64>,
    bytes_max: usize,
}

impl MemoryBudget {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { reserved: Cell::new(0), tuples: Cell::new(0), bytes_max }
    }

    /// Adds bytes that are kept from now on. They count even if the limit is exceeded, so that `release` stays
    /// symmetric.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<(), EvaluationError> {
        let reserved = self.reserved.get().saturating_add(bytes);
        self.reserved.set(reserved);
        if reserved > self.bytes_max {
            return Err(EvaluationError::HeldBytes { bytes_max: self.bytes_max });
        }
        Ok(())
    }

    /// Subtracts bytes that are no longer kept.
    pub(crate) fn release(&self, bytes: usize) {
        self.reserved.set(self.reserved.get().saturating_sub(bytes));
    }

    /// Counts an iterated array element: alone, or as part of a joined row.
    pub(crate) fn count_tuple(&self) {
        self.tuples.set(self.tuples.get().saturating_add(1));
    }

    /// The number of iterated array elements.
    pub(crate) fn tuples(&self) -> u64 {
        self.tuples.get()
    }

    /// Resets the number of iterated elements, because they will be iterated again.
    pub(crate) fn reset_tuples(&self, tuples: u64) {
        self.tuples.set(tuples);
    }

    /// The number of bytes kept now.
    pub(crate) fn reserved_bytes(&self) -> usize {
        self.reserved.get()
    }
}

/// The size of a value in bytes, including everything below it.
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
    // Shared strings count for every value that refers to them: the sum is an upper bound.
    size_of::<Value>() + below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_inclusive() {
        let memory = MemoryBudget::new(100);
        assert_eq!(memory.reserve(100), Ok(()));
        assert_eq!(memory.reserve(1), Err(EvaluationError::HeldBytes { bytes_max: 100 }));
        memory.release(51);
        assert_eq!(memory.reserve(50), Ok(()));
        assert_eq!(memory.reserved_bytes(), 100);
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
