//! CONCAT: texts one after the other.
//!
//! Owns the joining of any number of texts. Does not own the operator `||`, which joins two.

use crate::function::declaration::{Family, Function, ReturnKind, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(Family::String, "CONCAT", |arguments, _| {
        let texts: Option<Vec<&str>> = arguments.iter().map(Value::as_str).collect();
        texts.map(|texts| texts.concat()).into()
    })
    .takes(&["first", "second"])
    .variadic()
    .gives(ReturnKind::String, "All texts joined, in order.")
    .examples(&[
        call("\"abc\", \"def\", \"g\"", "\"abcdefg\""),
        call("\"abc\", 1", "undefined"),
        call("\"abc\", undefined", "undefined"),
    ])];
