//! DISTINCT.
//!
//! Owns the rows already given, found by their structure: `1` is `1.0`, the order of properties does not count.

use std::collections::HashSet;

use crate::evaluate::{EvaluationError, Memory, bytes_of};
use crate::value::Value;

/// The rows given so far.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    seen: HashSet<Value>,
    bytes: usize,
}

impl Distinct {
    /// Whether a row is given for the first time.
    pub(super) fn is_new(&mut self, row: &Value, memory: &Memory) -> Result<bool, EvaluationError> {
        if self.seen.contains(row) {
            return Ok(false);
        }
        let bytes = bytes_of(row);
        self.bytes += bytes;
        memory.hold(bytes)?;
        self.seen.insert(row.clone());
        Ok(true)
    }

    /// Lets the rows go.
    pub(super) fn release(self, memory: &Memory) {
        memory.release(self.bytes);
    }
}
