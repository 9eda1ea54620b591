//! HASH: the same number for equal values; _STRUCTURALHASH: the hash by which arrays and objects are ordered.
//!
//! HASH truncates the structural hash to 63 bits, so that it is never negative. The service's algorithm is unknown;
//! ours is stable and agrees with equality. _STRUCTURALHASH is for the conditions of resumed queries.

use crate::budget::value_units;
use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::{Value, structural_hash};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::Item, "HASH", |arguments, context| {
        hash(arguments, context).into()
    })
    .required(&["value"])
    .optional(&["modulus"])
    .undocumented()
    .returns(
        ReturnKind::Integer,
        "A hash that is the same for equal values, modulo a positive number if one is given.",
    )
    .examples(&[
        example("\"a\", 1", "0"),
        example("\"a\", 0", "undefined"),
        example("undefined", "undefined"),
    ]),
    Function::scalar(FunctionFamily::Item, "_STRUCTURALHASH", |arguments, context| {
        ordering_hash(arguments, context).into()
    })
    .required(&["value"])
    .undocumented()
    .returns(
        ReturnKind::String,
        "The hash by which arrays and objects are ordered, as text that sorts like it.",
    )
    .examples(&[example("1", "undefined"), example("undefined", "undefined")]),
];

/// Thirty-two digits: texts of equal length sort like their numbers.
fn ordering_hash(arguments: &[Value], context: &CallContext<'_>) -> Option<String> {
    let value = arguments.first()?;
    if !matches!(value, Value::Array(_) | Value::Object(_)) {
        return None;
    }
    context.budget.work(value_units(value))?;
    Some(format!("{:032x}", structural_hash(value)))
}

fn hash(arguments: &[Value], context: &CallContext<'_>) -> Option<i64> {
    let value = arguments.first().filter(|value| value.is_defined())?;
    // The low 64 bits without the sign.
    context.budget.work(value_units(value))?;
    let hash = (structural_hash(value) as i64) & i64::MAX;
    match argument::integer_or(arguments, 1, i64::MAX)? {
        modulus if modulus > 0 => Some(hash % modulus),
        _ => None,
    }
}
