//! What is visible to an expression.
//!
//! Owns the view of a row of slots, of the keys and results of a group, and of what is injected. Owns none of the
//! values.

use super::EvaluationContext;
use crate::budget::EvaluationBudget;
use crate::function::{PatternCache, UtcDateTime};
use crate::value::Value;

/// What all rows of one item share.
#[derive(Clone, Copy)]
pub(crate) struct EvaluationEnvironment<'query> {
    pub(crate) context: &'query EvaluationContext,
    pub(crate) patterns: &'query PatternCache,
    pub(crate) budget: &'query EvaluationBudget,
    pub(crate) now: UtcDateTime,
}

/// The values of one row, or of one group, that an expression sees.
#[derive(Clone, Copy)]
pub(crate) struct EvaluationScope<'row> {
    pub(crate) environment: &'row EvaluationEnvironment<'row>,
    /// The inputs of all queries around and of this one, outermost first.
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
