//! ARRAY_LENGTH: the number of elements.
//!
//! Undefined for anything but an array.

use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::Array, "ARRAY_LENGTH", |arguments, _| {
        arguments.first().and_then(Value::as_array).map(|elements| elements.len() as i64).into()
    })
    .required(&["array"])
    .returns(ReturnKind::Integer, "The number of elements of an array.")
    .examples(&[
        example("[70, 86, 92, 99, 85, 90, 82]", "7"),
        example("[]", "0"),
        example("null", "undefined"),
        example("\"abc\"", "undefined"),
    ])];
