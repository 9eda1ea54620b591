//! Following a path.
//!
//! Owns the result of each step: nothing if there is no such property or element, or if the value has another type.

use crate::bind::PathStep;
use crate::budget::{BudgetError, WorkBudget};
use crate::value::Value;

/// Properties of an object that are found in one unit of work.
const UNIT_PROPERTIES: usize = 64;

/// The value at the end of a path, within the budget. Properties are found one after the other, so that each wide
/// object on the path is work.
pub(crate) fn follow_path_within<'value>(
    value: &'value Value,
    steps: &[PathStep],
    work: &WorkBudget,
) -> Result<Option<&'value Value>, BudgetError> {
    let mut reached = value;
    for step in steps {
        if let Value::Object(object) = reached
            && object.len() > UNIT_PROPERTIES
        {
            work.spend((object.len() / UNIT_PROPERTIES) as u64)?;
        }
        match follow_path(reached, std::slice::from_ref(step)) {
            Some(next) => reached = next,
            None => return Ok(None),
        }
    }
    Ok(Some(reached))
}

/// The value at the end of a path; `None` if the path leads nowhere.
pub(crate) fn follow_path<'value>(
    value: &'value Value,
    steps: &[PathStep],
) -> Option<&'value Value> {
    steps.iter().try_fold(value, |value, step| match step {
        PathStep::Property(name) => value.as_object()?.get(name),
        PathStep::Index(index) => value.as_array()?.get(usize::try_from(*index).ok()?),
        PathStep::Nowhere => None,
    })
}
