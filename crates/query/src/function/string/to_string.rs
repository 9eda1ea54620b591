//! TOSTRING: any value as text.
//!
//! Owns the choice of text for each type. Does not own the printing of numbers: see `value`.

use crate::function::declaration::{Family, Function, ReturnKind, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(Family::String, "TOSTRING", |arguments, _| match arguments.first() {
        None | Some(Value::Undefined) => Value::Undefined,
        Some(text @ Value::String(_)) => text.clone(),
        Some(value) => value.to_string().into(),
    })
    .also(&["TO_STRING"])
    .takes(&["value"])
    .gives(
        ReturnKind::String,
        "Text as it is, and the JSON of any other value, without white space.",
    )
    .examples(&[
        call("\"abc\"", "\"abc\""),
        call("0.1234", "\"0.1234\""),
        call("1.0", "\"1\""),
        call("true", "\"true\""),
        call("null", "\"null\""),
        call("[1, 2, 3]", "\"[1,2,3]\""),
        call(r#"{"department": "Bicycles"}"#, r#""{\"department\":\"Bicycles\"}""#),
        call("undefined", "undefined"),
    ])];
