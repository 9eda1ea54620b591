//! What an expression sees.
//!
//! Owns the row of slots, the keys and results of a group, and the way to what is injected. Does not own any of them.

use super::{EvaluationContext, MemoryBudget};
use crate::function::{PatternCache, UtcDateTime};
use crate::value::Value;

/// What is the same for all rows of one item.
#[derive(Clone, Copy)]
pub(crate) struct EvaluationEnvironment<'query> {
    pub(crate) context: &'query EvaluationContext,
    pub(crate) patterns: &'query PatternCache,
    pub(crate) memory: &'query MemoryBudget,
    pub(crate) now: UtcDateTime,
}

/// What one row, or one group, shows to an expression.
#[derive(Clone, Copy)]
pub(crate) struct EvaluationScope<'row> {
    pub(crate) environment: &'row EvaluationEnvironment<'row>,
    /// The inputs of all queries around and of this one, in order.
    pub(crate) slots: &'row [Value],
    /// The values of GROUP BY; empty for a single row.
    pub(crate) keys: &'row [Value],
    /// The results of the aggregates; empty for a single row.
    pub(crate) results: &'row [Value],
}

impl<'row> EvaluationScope<'row> {
    /// A single row.
    pub(crate) fn row(
        environment: &'row EvaluationEnvironment<'row>,
        slots: &'row [Value],
    ) -> Self {
        Self { environment, slots, keys: &[], results: &[] }
    }
}
