//! The value of a formula.
//!
//! Owns the match over all forms and the small forms themselves; larger forms have their own files. The depth of
//! recursion is the depth of the tree (at most `TREE_LEVELS_MAX`): chains, lists and branches are loops.

use super::{Formula, call, chain, follow_path_within, subquery};
use crate::ast::Negation;
use crate::bind::PathStep;
use crate::budget::{byte_units, value_bytes};
use crate::evaluate::{EvaluationError, EvaluationScope};
use crate::value::{Value, between, logic, operate};

impl Formula {
    /// The value in a scope.
    pub(crate) fn evaluate(&self, scope: &EvaluationScope<'_>) -> Result<Value, EvaluationError> {
        match self {
            Self::Constant(value) => Ok(value.clone()),
            Self::Input(slot) => Ok(value_at(scope.slots, *slot)),
            Self::GroupKey(index) => Ok(value_at(scope.keys, *index)),
            Self::Aggregate(index) => Ok(value_at(scope.results, *index)),
            Self::Member { target, steps } => match target.as_ref() {
                // The common case: follow the path by reference instead of cloning the item first.
                Self::Input(slot) => match scope.slots.get(*slot) {
                    Some(item) => member(item, steps, scope),
                    None => Ok(Value::Undefined),
                },
                target => member(&target.evaluate(scope)?, steps, scope),
            },
            Self::Unary { operator, operand } => {
                Ok(operate::unary(*operator, &operand.evaluate(scope)?))
            }
            Self::Chain { first, rest } => chain::evaluate(first, rest, scope),
            Self::Coalesce(operands) => coalesce(operands, scope),
            Self::Conditional { branches, otherwise } => conditional(branches, otherwise, scope),
            Self::Between { negation, value, low, high } => {
                let value = value.evaluate(scope)?;
                let (low, high) = (low.evaluate(scope)?, high.evaluate(scope)?);
                chain::spend_comparison(&value, &low, scope)?;
                chain::spend_comparison(&value, &high, scope)?;
                let answer = between(&value, &low, &high);
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
                    let value = formula.evaluate(scope)?;
                    count_part(name.len(), &value, scope)?;
                    properties.push((name.clone(), value));
                }
                Ok(Value::object(properties))
            }
            Self::Array(elements) => {
                let mut values = Vec::with_capacity(elements.len());
                for formula in elements {
                    let value = formula.evaluate(scope)?;
                    count_part(0, &value, scope)?;
                    values.push(value);
                }
                Ok(Value::array(values))
            }
            _ => Ok(Value::Undefined),
        }
    }
}

/// Counts a part of an array or object that is being constructed. The whole part counts, although it is shared: every
/// level of nesting could repeat it, and the text of the result repeats it in full. Counted part by part, so that the
/// walk over the parts ends with the limit.
pub(crate) fn count_part(
    name_bytes: usize,
    value: &Value,
    scope: &EvaluationScope<'_>,
) -> Result<(), EvaluationError> {
    let budget = scope.environment.budget;
    let bytes = name_bytes + value_bytes(value);
    budget.memory.build(bytes)?;
    Ok(budget.work.spend(byte_units(bytes))?)
}

/// The value at the end of a path.
fn member(
    value: &Value,
    steps: &[PathStep],
    scope: &EvaluationScope<'_>,
) -> Result<Value, EvaluationError> {
    let work = &scope.environment.budget.work;
    Ok(follow_path_within(value, steps, work)?.cloned().unwrap_or_default())
}

/// The result of BETWEEN, IN or LIKE, negated if NOT stands before it. NOT of undefined is undefined.
pub(super) fn apply_negation(negation: Negation, result: Option<bool>) -> Value {
    match negation {
        Negation::Plain => result.into(),
        Negation::Negated => logic::not(result).into(),
    }
}

fn value_at(values: &[Value], index: usize) -> Value {
    values.get(index).cloned().unwrap_or_default()
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

// Only true selects a branch: undefined and values of other types count as false.
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
