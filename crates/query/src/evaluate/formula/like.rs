//! LIKE: whether a string matches a pattern.
//!
//! Owns when a pattern is compiled: once if it is constant, otherwise for every row. Does not own patterns: see
//! `value`.

use super::Formula;
use super::evaluate::apply_negation;
use crate::ast::Negation;
use crate::budget::byte_units;
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
            LikeOperand::Constant(pattern) => match value.as_str() {
                Some(text) => Some(matches(pattern, text, scope)?),
                None => None,
            },
            LikeOperand::Each { formula, escape } => {
                let pattern = formula.evaluate(scope)?;
                match value.as_str().zip(pattern.as_str()) {
                    Some((text, pattern)) => {
                        let budget = scope.environment.budget;
                        budget.memory.build(compiled_bytes(pattern))?;
                        budget.work.spend(byte_units(compiled_bytes(pattern)))?;
                        Some(matches(&LikePattern::new(pattern, *escape), text, scope)?)
                    }
                    None => None,
                }
            }
        };
        Ok(apply_negation(self.negation, result))
    }
}

/// Whether a string matches, within the budget: the work is bounded only by the product of both lengths.
fn matches(
    pattern: &LikePattern,
    text: &str,
    scope: &EvaluationScope<'_>,
) -> Result<bool, EvaluationError> {
    /// Steps of the matcher that count as one unit.
    const UNIT_STEPS: u64 = 16;
    let budget = scope.environment.budget;
    // The matcher copies the text into characters.
    budget.memory.build(text.len().saturating_mul(size_of::<char>()))?;
    budget.work.spend(byte_units(text.len()))?;
    let mut outcome = Ok(());
    let matched = pattern.matches_while(text, |steps| {
        outcome = budget.work.spend(steps / UNIT_STEPS);
        outcome.is_ok()
    });
    outcome?;
    Ok(matched.unwrap_or(false))
}

/// The size of a compiled pattern: an element for each character, and the characters themselves.
fn compiled_bytes(pattern: &str) -> usize {
    pattern.len().saturating_mul(LikePattern::ELEMENT_BYTES)
}
