//! WHERE.
//!
//! Owns the rule that only true keeps a row.

use crate::evaluate::{EvaluationError, EvaluationScope, Formula};

/// The condition of a query, if it has one.
#[derive(Debug)]
pub(super) struct FilterStage {
    pub(super) condition: Option<Formula>,
}

impl FilterStage {
    /// Whether a row is kept.
    pub(super) fn keeps(&self, scope: &EvaluationScope<'_>) -> Result<bool, EvaluationError> {
        match &self.condition {
            None => Ok(true),
            Some(condition) => Ok(condition.evaluate(scope)?.as_bool() == Some(true)),
        }
    }
}
