//! LIKE: whether a string matches a pattern.
//!
//! Owns when a pattern is compiled: once if it is constant, otherwise for every row. Does not own patterns: see
//! `value`.

use super::Formula;
use super::evaluate::apply_negation;
use crate::ast::Negation;
use crate::evaluate::{EvaluationError, EvaluationScope};
use crate::value::{LikePattern, Value};

/// `value [NOT] LIKE pattern [ESCAPE 'c']`.
#[derive(Debug)]
pub(crate) struct Like {
    negation: Negation,
    value: Formula,
    pattern: LikeOperand,
}

#[derive(Debug)]
enum LikeOperand {
    Constant(LikePattern),
    Each { formula: Formula, escape: Option<char> },
}

impl Like {
    pub(super) fn new(
        negation: Negation,
        value: Formula,
        pattern: Formula,
        escape: Option<char>,
    ) -> Self {
        let pattern = match pattern.constant().and_then(Value::as_str) {
            Some(text) => LikeOperand::Constant(LikePattern::new(text, escape)),
            None => LikeOperand::Each { formula: pattern, escape },
        };
        Self { negation, value, pattern }
    }

    pub(super) fn evaluate(&self, scope: &EvaluationScope<'_>) -> Result<Value, EvaluationError> {
        let value = self.value.evaluate(scope)?;
        let result = match &self.pattern {
            LikeOperand::Constant(pattern) => value.as_str().map(|text| pattern.matches(text)),
            LikeOperand::Each { formula, escape } => {
                let pattern = formula.evaluate(scope)?;
                let both = value.as_str().zip(pattern.as_str());
                both.map(|(text, pattern)| LikePattern::new(pattern, *escape).matches(text))
            }
        };
        Ok(apply_negation(self.negation, result))
    }
}
