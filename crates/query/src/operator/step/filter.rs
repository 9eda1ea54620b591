//! WHERE.
//!
//! Owns the rule that only true keeps a row.

use crate::evaluate::{EvaluationError, Formula, Scope};

/// The condition of a query, if it has one.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) condition: Option<Formula>,
}

impl Filter {
    /// Whether a row is kept.
    pub(super) fn keeps(&self, scope: &Scope<'_>) -> Result<bool, EvaluationError> {
        match &self.condition {
            None => Ok(true),
            Some(condition) => Ok(condition.evaluate(scope)?.as_bool() == Some(true)),
        }
    }
}
