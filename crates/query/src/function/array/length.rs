//! ARRAY_LENGTH: how many elements there are.
//!
//! Owns the count of elements only; nothing but an array has one.

use crate::function::declaration::{Family, Function, ReturnKind, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(Family::Array, "ARRAY_LENGTH", |arguments, _| {
        arguments.first().and_then(Value::as_array).map(|elements| elements.len() as i64).into()
    })
    .takes(&["array"])
    .gives(ReturnKind::Integer, "How many elements an array has.")
    .examples(&[
        call("[70, 86, 92, 99, 85, 90, 82]", "7"),
        call("[]", "0"),
        call("null", "undefined"),
        call("\"abc\"", "undefined"),
    ])];
