//! DISTINCT.
//!
//! Owns the rows already emitted. Rows are compared as values: `1` equals `1.0`, the order of properties does not
//! matter, undefined equals undefined and NaN equals NaN (see `Eq` and `Hash` of `Value`).

use std::collections::HashSet;

use crate::budget::{MemoryBudget, value_bytes};
use crate::evaluate::EvaluationError;
use crate::value::Value;

/// The distinct rows emitted so far.
#[derive(Debug, Default)]
pub(super) struct DistinctStage {
    seen: HashSet<Value>,
    bytes: usize,
}

impl DistinctStage {
    /// Remembers a row; returns whether it is new.
    pub(super) fn insert(
        &mut self,
        row: &Value,
        memory: &MemoryBudget,
    ) -> Result<bool, EvaluationError> {
        if self.seen.contains(row) {
            return Ok(false);
        }
        let bytes = value_bytes(row);
        // Counted even if the limit is exceeded, so that `release` gives back what was reserved.
        self.bytes += bytes;
        memory.reserve(bytes)?;
        self.seen.insert(row.clone());
        Ok(true)
    }

    /// Gives the memory back.
    pub(super) fn release(self, memory: &MemoryBudget) {
        memory.release(self.bytes);
    }
}
