//! The value of a formula.
//!
//! Owns the match over all forms and the small forms themselves; the larger forms have their own files. Depth of
//! recursion is the depth of the text's parentheses: chains, lists and branches are walked in loops.

use super::{Formula, call, chain, follow_path, subquery};
use crate::ast::Negation;
use crate::evaluate::{EvaluationError, EvaluationScope};
use crate::value::{Value, between, logic, operate};

impl Formula {
    /// The value in a scope.
    pub(crate) fn evaluate(&self, scope: &EvaluationScope<'_>) -> Result<Value, EvaluationError> {
        match self {
            Self::Constant(value) => Ok(value.clone()),
            Self::Input(slot) => Ok(value_at(scope.slots, *slot)),
            Self::GroupKey(place) => Ok(value_at(scope.keys, *place)),
            Self::Aggregate(place) => Ok(value_at(scope.results, *place)),
            Self::Member { target, steps } => match target.as_ref() {
                // The usual case, without taking hold of the whole item.
                Self::Input(slot) => Ok(scope.slots.get(*slot).map_or(Value::Undefined, |item| {
                    follow_path(item, steps).cloned().unwrap_or_default()
                })),
                target => {
                    Ok(follow_path(&target.evaluate(scope)?, steps).cloned().unwrap_or_default())
                }
            },
            Self::Unary { operator, operand } => {
                Ok(operate::unary(*operator, &operand.evaluate(scope)?))
            }
            Self::Chain { first, rest } => chain::evaluate(first, rest, scope),
            Self::Coalesce(operands) => coalesce(operands, scope),
            Self::Conditional { branches, otherwise } => conditional(branches, otherwise, scope),
            Self::Between { negation, value, low, high } => {
                let value = value.evaluate(scope)?;
                let answer = between(&value, &low.evaluate(scope)?, &high.evaluate(scope)?);
                Ok(apply_negation(*negation, answer))
            }
            Self::In(membership) => membership.evaluate(scope),
            Self::Like(like) => like.evaluate(scope),
            Self::Object(_) | Self::Array(_) => self.construct(scope),
            Self::Call(call) => call.evaluate(scope),
            Self::UdfCall { function, arguments } => {
                call::user_function(function, arguments, scope)
            }
            Self::Planned(name) => Err(EvaluationError::PlannedFunction(name)),
            Self::Subquery { kind, query } => subquery::evaluate(*kind, query.as_ref(), scope),
        }
    }

    /// The values of several formulas.
    pub(crate) fn evaluate_all(
        formulas: &[Self],
        scope: &EvaluationScope<'_>,
    ) -> Result<Vec<Value>, EvaluationError> {
        formulas.iter().map(|formula| formula.evaluate(scope)).collect()
    }

    fn construct(&self, scope: &EvaluationScope<'_>) -> Result<Value, EvaluationError> {
        match self {
            Self::Object(members) => {
                let mut properties = Vec::with_capacity(members.len());
                for (name, formula) in members {
                    properties.push((name.clone(), formula.evaluate(scope)?));
                }
                Ok(Value::object(properties))
            }
            Self::Array(elements) => Ok(Value::array(Self::evaluate_all(elements, scope)?)),
            _ => Ok(Value::Undefined),
        }
    }
}

/// The answer of BETWEEN, IN or LIKE, turned around when NOT stands before it.
pub(super) fn apply_negation(negation: Negation, answer: Option<bool>) -> Value {
    match negation {
        Negation::Plain => answer.into(),
        Negation::Negated => logic::not(answer).into(),
    }
}

fn value_at(values: &[Value], place: usize) -> Value {
    values.get(place).cloned().unwrap_or_default()
}

fn coalesce(operands: &[Formula], scope: &EvaluationScope<'_>) -> Result<Value, EvaluationError> {
    for operand in operands {
        let value = operand.evaluate(scope)?;
        if value.is_defined() {
            return Ok(value);
        }
    }
    Ok(Value::Undefined)
}

fn conditional(
    branches: &[(Formula, Formula)],
    otherwise: &Formula,
    scope: &EvaluationScope<'_>,
) -> Result<Value, EvaluationError> {
    for (condition, value) in branches {
        if condition.evaluate(scope)?.as_bool() == Some(true) {
            return value.evaluate(scope);
        }
    }
    otherwise.evaluate(scope)
}
