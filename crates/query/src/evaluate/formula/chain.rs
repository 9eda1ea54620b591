//! Chains of operators of one level.
//!
//! Owns the walk from left to right, however long, and where it may stop early: at false for AND, at true for OR. Does
//! not own what each operator does with two values: see `value`.

use super::Formula;
use crate::ast::{BinaryOperator, Precedence};
use crate::evaluate::{EvaluationError, EvaluationScope};
use crate::value::{Value, logic, operate};

pub(super) fn evaluate(
    first: &Formula,
    rest: &[(BinaryOperator, Formula)],
    scope: &EvaluationScope<'_>,
) -> Result<Value, EvaluationError> {
    let left = first.evaluate(scope)?;
    match rest.first().map(|(operator, _)| operator.precedence()) {
        Some(Precedence::And) => junction(left.as_bool(), rest, scope, logic::and, false),
        Some(Precedence::Or) => junction(left.as_bool(), rest, scope, logic::or, true),
        Some(Precedence::Concatenation) => concatenation(left, rest, scope),
        _ => {
            let mut left = left;
            for (operator, right) in rest {
                left = operate::binary(*operator, &left, &right.evaluate(scope)?);
            }
            Ok(left)
        }
    }
}

/// A chain of AND or OR; the deciding answer makes the operands after it irrelevant.
fn junction(
    first: Option<bool>,
    rest: &[(BinaryOperator, Formula)],
    scope: &EvaluationScope<'_>,
    join: fn(Option<bool>, Option<bool>) -> Option<bool>,
    deciding: bool,
) -> Result<Value, EvaluationError> {
    let mut answer = first;
    for (_, operand) in rest {
        if answer == Some(deciding) {
            break;
        }
        answer = join(answer, operand.evaluate(scope)?.as_bool());
    }
    Ok(answer.into())
}

/// A chain of `||`, gathered in one text: copying the growing text for every operand would take the square of the
/// time.
fn concatenation(
    first: Value,
    rest: &[(BinaryOperator, Formula)],
    scope: &EvaluationScope<'_>,
) -> Result<Value, EvaluationError> {
    let mut text = match first {
        Value::String(text) => Some(text.to_string()),
        _ => None,
    };
    for (_, operand) in rest {
        let operand = operand.evaluate(scope)?;
        text = match (text, operand.as_str()) {
            (Some(mut text), Some(more)) => {
                text.push_str(more);
                Some(text)
            }
            _ => None,
        };
    }
    Ok(text.into())
}
