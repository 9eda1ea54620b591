//! HASH: the same number for equal values.
//!
//! Truncates the structural hash to 63 bits, so that it is never negative. The service's algorithm is unknown; ours is
//! stable and agrees with equality.

use crate::budget::value_units;
use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::{Value, structural_hash};

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::Item, "HASH", |arguments, context| {
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
    ])];

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
