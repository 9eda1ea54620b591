//! TOSTRING: any value as a string.
//!
//! Strings are returned unchanged, other values as JSON. Does not own number formatting: see `value`.

use crate::budget::value_bytes;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

/// The bytes of the longest escape of one byte in JSON text.
const ESCAPED_BYTES: usize = 6;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::String, "TOSTRING", |arguments, context| {
        match arguments.first() {
            None | Some(Value::Undefined) => Value::Undefined,
            Some(text @ Value::String(_)) => text.clone(),
            Some(value) => {
                let bytes = value_bytes(value).saturating_mul(ESCAPED_BYTES);
                context.budget.build(bytes).map(|()| value.to_string()).into()
            }
        }
    })
    .aliases(&["TO_STRING"])
    .required(&["value"])
    .returns(
        ReturnKind::String,
        "A string unchanged, and the JSON of any other value, without white space.",
    )
    .examples(&[
        example("\"abc\"", "\"abc\""),
        example("0.1234", "\"0.1234\""),
        example("1.0", "\"1\""),
        example("true", "\"true\""),
        example("null", "\"null\""),
        example("[1, 2, 3]", "\"[1,2,3]\""),
        example(r#"{"department": "Bicycles"}"#, r#""{\"department\":\"Bicycles\"}""#),
        example("undefined", "undefined"),
    ])];
