//! ARRAY_CONCAT: arrays one after the other.
//!
//! Owns the joining of arrays only; text is joined by CONCAT.

use crate::function::declaration::{Family, Function, ReturnKind, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(Family::Array, "ARRAY_CONCAT", |arguments, _| {
        let arrays: Option<Vec<&[Value]>> = arguments.iter().map(Value::as_array).collect();
        arrays.map(|arrays| Value::Array(arrays.concat().into())).into()
    })
    .takes(&["first", "second"])
    .variadic()
    .gives(ReturnKind::Array, "The elements of all arrays, in order.")
    .examples(&[
        call("[1, 2], [3], [\"a\"]", "[1,2,3,\"a\"]"),
        call("[], []", "[]"),
        call("[1], 2", "undefined"),
        call("[1], undefined", "undefined"),
    ])];
