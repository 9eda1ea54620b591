//! Chains of operators of one precedence.
//!
//! Owns the evaluation from left to right and the short circuit: at false for AND, at true for OR. Does not own the
//! operators themselves: see `value`.

use super::Formula;
use crate::ast::{BinaryOperator, Precedence};
use crate::budget::{byte_units, value_units};
use crate::evaluate::{EvaluationError, EvaluationScope};
use crate::value::{Value, logic, operate};

pub(super) fn evaluate(
    first: &Formula,
    rest: &[(BinaryOperator, Formula)],
    scope: &EvaluationScope<'_>,
) -> Result<Value, EvaluationError> {
    let left = first.evaluate(scope)?;
    match rest.first().map(|(operator, _)| operator.precedence()) {
        // `as_bool` turns every other type into undefined, which is how AND and OR treat it.
        Some(Precedence::And) => junction(left.as_bool(), rest, scope, logic::and, false),
        Some(Precedence::Or) => junction(left.as_bool(), rest, scope, logic::or, true),
        // AND and OR may stop early and `||` collects into one buffer; all other operators are applied one by one.
        Some(Precedence::Concatenation) => concatenation(left, rest, scope),
        _ => {
            let mut left = left;
            for (operator, right) in rest {
                let right = right.evaluate(scope)?;
                spend_comparison(&left, &right, scope)?;
                left = operate::binary(*operator, &left, &right);
            }
            Ok(left)
        }
    }
}

/// Counts the work of comparing two values, which is that of the smaller one: only long strings, arrays and objects
/// cost more than the expression itself.
pub(super) fn spend_comparison(
    left: &Value,
    right: &Value,
    scope: &EvaluationScope<'_>,
) -> Result<(), EvaluationError> {
    let units = match (left, right) {
        (Value::String(left), Value::String(right)) => byte_units(left.len().min(right.len())),
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => {
            value_units(left)
        }
        _ => return Ok(()),
    };
    Ok(scope.environment.budget.work.spend(units)?)
}

/// Evaluates a chain of AND or OR. Once the result equals `deciding`, the remaining operands cannot change it: in
/// three-valued logic false wins over undefined in AND, and true in OR.
fn junction(
    first: Option<bool>,
    rest: &[(BinaryOperator, Formula)],
    scope: &EvaluationScope<'_>,
    join: fn(Option<bool>, Option<bool>) -> Option<bool>,
    deciding: bool,
) -> Result<Value, EvaluationError> {
    let mut result = first;
    for (_, operand) in rest {
        if result == Some(deciding) {
            break;
        }
        result = join(result, operand.evaluate(scope)?.as_bool());
    }
    Ok(result.into())
}

/// Evaluates a chain of `||` into one buffer: copying the growing string for every operand would take quadratic time.
fn concatenation(
    first: Value,
    rest: &[(BinaryOperator, Formula)],
    scope: &EvaluationScope<'_>,
) -> Result<Value, EvaluationError> {
    let budget = scope.environment.budget;
    // Counted before it is appended. The buffer may double, which the factor covers.
    let build = |text: &str| -> Result<(), EvaluationError> {
        budget.memory.build(text.len().saturating_mul(2))?;
        Ok(budget.work.spend(byte_units(text.len()))?)
    };
    let mut text = match first {
        Value::String(text) => {
            build(&text)?;
            Some(text.to_string())
        }
        _ => None,
    };
    for (_, operand) in rest {
        let operand = operand.evaluate(scope)?;
        text = match (text, operand.as_str()) {
            (Some(mut text), Some(more)) => {
                build(more)?;
                text.push_str(more);
                Some(text)
            }
            _ => None,
        };
    }
    Ok(text.into())
}
