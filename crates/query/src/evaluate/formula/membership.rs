//! IN: whether a value equals one of a list.
//!
//! Owns the comparison with each candidate, and the hash set that replaces it if all candidates are constant
//! primitives, so that a list of thousands costs one lookup per row.

use std::collections::HashSet;

use super::Formula;
use super::chain::spend_comparison;
use super::evaluate::apply_negation;
use crate::ast::Negation;
use crate::budget::text_units;
use crate::evaluate::{EvaluationError, EvaluationScope};
use crate::value::{Value, equal, logic};

/// `value [NOT] IN (…)`.
#[derive(Debug)]
pub(crate) struct Membership {
    negation: Negation,
    value: Formula,
    candidates: Candidates,
}

#[derive(Debug)]
enum Candidates {
    /// Compared one by one.
    Each(Vec<Formula>),
    /// Primitive constants. For these, `Eq` of values and the operator `=` agree, except for NaN, which is left out
    /// because it equals nothing.
    Constant { values: HashSet<Value>, has_undefined: bool },
}

impl Membership {
    pub(super) fn new(negation: Negation, value: Formula, list: Vec<Formula>) -> Self {
        let constants: Option<Vec<&Value>> = list
            .iter()
            .map(|candidate| {
                candidate
                    .constant()
                    // Nested values may contain NaN or undefined, for which `Eq` and `=` differ.
                    .filter(|value| !matches!(value, Value::Array(_) | Value::Object(_)))
            })
            .collect();
        let candidates = match constants {
            Some(constants) => Candidates::Constant {
                values: constants
                    .iter()
                    .filter(|value| value.is_defined() && !is_nan(value))
                    .map(|value| (*value).clone())
                    .collect(),
                has_undefined: constants.iter().any(|value| !value.is_defined()),
            },
            None => Candidates::Each(list),
        };
        Self { negation, value, candidates }
    }

    pub(super) fn evaluate(&self, scope: &EvaluationScope<'_>) -> Result<Value, EvaluationError> {
        let value = self.value.evaluate(scope)?;
        if !value.is_defined() {
            return Ok(Value::Undefined);
        }
        let result = match &self.candidates {
            Candidates::Each(list) => any_equal(&value, list, scope)?,
            Candidates::Constant { values, has_undefined } => {
                // No candidate is an array or object, and hashing a long string is work.
                let is_primitive = !matches!(value, Value::Array(_) | Value::Object(_));
                scope.environment.budget.work.spend(text_units(&value))?;
                if is_primitive && values.contains(&value) {
                    Some(true)
                } else {
                    // Not found: comparing with an undefined candidate is undefined, and `false OR undefined` is
                    // undefined.
                    (!has_undefined).then_some(false)
                }
            }
        };
        Ok(apply_negation(self.negation, result))
    }
}

fn any_equal(
    value: &Value,
    list: &[Formula],
    scope: &EvaluationScope<'_>,
) -> Result<Option<bool>, EvaluationError> {
    let mut result = Some(false);
    for candidate in list {
        let candidate = candidate.evaluate(scope)?;
        spend_comparison(value, &candidate, scope)?;
        result = logic::or(result, equal(value, &candidate));
        if result == Some(true) {
            break;
        }
    }
    Ok(result)
}

fn is_nan(value: &Value) -> bool {
    matches!(value, Value::Double(double) if double.is_nan())
}
