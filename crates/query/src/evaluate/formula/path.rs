//! Following a path.
//!
//! Owns the result of each step: nothing if there is no such property or element, or if the value has another type.

use crate::bind::PathStep;
use crate::value::Value;

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
