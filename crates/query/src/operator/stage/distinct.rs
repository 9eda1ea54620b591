//! DISTINCT.
//!
//! Owns the rows already given, found by their structure: `1` is `1.0`, the order of properties does not count.

use std::collections::HashSet;

use crate::evaluate::{EvaluationError, MemoryBudget, value_bytes};
use crate::value::Value;

/// The rows given so far.
#[derive(Debug, Default)]
pub(super) struct DistinctStage {
    seen: HashSet<Value>,
    bytes: usize,
}

impl DistinctStage {
    /// Whether a row is given for the first time.
    pub(super) fn insert(
        &mut self,
        row: &Value,
        memory: &MemoryBudget,
    ) -> Result<bool, EvaluationError> {
        if self.seen.contains(row) {
            return Ok(false);
        }
        let bytes = value_bytes(row);
        self.bytes += bytes;
        memory.hold(bytes)?;
        self.seen.insert(row.clone());
        Ok(true)
    }

    /// Lets the rows go.
    pub(super) fn release(self, memory: &MemoryBudget) {
        memory.release(self.bytes);
    }
}
