//! WHERE.
//!
//! Owns the rule that a row passes only if the condition is true: undefined and other types reject it.

use crate::evaluate::{EvaluationError, EvaluationScope, Formula};

/// The condition of a query, if it has one.
#[derive(Debug)]
pub(super) struct FilterStage {
    pub(super) condition: Option<Formula>,
}

impl FilterStage {
    /// Whether a row passes.
    pub(super) fn keeps(&self, scope: &EvaluationScope<'_>) -> Result<bool, EvaluationError> {
        match &self.condition {
            None => Ok(true),
            Some(condition) => Ok(condition.evaluate(scope)?.as_bool() == Some(true)),
        }
    }
}
