//! Steps down a value.
//!
//! Owns what a step finds: nothing where there is no such property or element, or where the value is of another type.

use crate::bind::PathStep;
use crate::value::Value;

/// The value at the end of a path; none when the path leaves the value.
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
