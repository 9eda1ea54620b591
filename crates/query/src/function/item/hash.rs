//! HASH: a number that equal values share.
//!
//! Owns the cut of the fingerprint to 63 bits, so that it is never negative. Which number the service gives is not
//! known; this one is stable and agrees with equality.

use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::{Value, structural_hash};

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::Item, "HASH", |arguments, _| hash(arguments).into())
        .required(&["value"])
        .optional(&["modulus"])
        .undocumented()
        .returns(
            ReturnKind::Integer,
            "A number equal values share, reduced to less than a positive modulus if one is given.",
        )
        .examples(&[
            example("\"a\", 1", "0"),
            example("\"a\", 0", "undefined"),
            example("undefined", "undefined"),
        ])];

fn hash(arguments: &[Value]) -> Option<i64> {
    let value = arguments.first().filter(|value| value.is_defined())?;
    let hash = (structural_hash(value) as i64) & i64::MAX;
    match argument::integer_or(arguments, 1, i64::MAX)? {
        modulus if modulus > 0 => Some(hash % modulus),
        _ => None,
    }
}
