//! CONCAT: texts one after the other.
//!
//! Concatenates any number of strings. Does not own the operator `||`.

use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::String, "CONCAT", |arguments, _| {
        let texts: Option<Vec<&str>> = arguments.iter().map(Value::as_str).collect();
        texts.map(|texts| texts.concat()).into()
    })
    .required(&["first", "second"])
    .variadic()
    .returns(ReturnKind::String, "All strings, concatenated in order.")
    .examples(&[
        example("\"abc\", \"def\", \"g\"", "\"abcdefg\""),
        example("\"abc\", 1", "undefined"),
        example("\"abc\", undefined", "undefined"),
    ])];
