//! STRINGJOIN and STRINGSPLIT.
//!
//! A separator is always literal, never a pattern.

use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::String, "STRINGJOIN", |arguments, _| join(arguments).into())
        .aliases(&["STRING_JOIN"])
        .required(&["array", "separator"])
        .returns(ReturnKind::String, "Joins the strings of an array with a separator.")
        .examples(&[
            example("[\"Adventure\", \"Works\"], \"-\"", "\"Adventure-Works\""),
            example("[], \"-\"", "\"\""),
            example("[\"a\", 1], \"-\"", "undefined"),
            example("[\"a\"], null", "undefined"),
        ]),
    Function::scalar(FunctionFamily::String, "STRINGSPLIT", |arguments, _| {
        let texts = argument::text(arguments, 0).zip(argument::text(arguments, 1));
        texts.map(|(text, separator)| split(text, separator)).into()
    })
    .aliases(&["STRING_SPLIT"])
    .required(&["text", "separator"])
    .returns(
        ReturnKind::Array,
        "Splits a string at a separator; an empty separator splits nothing.",
    )
    .examples(&[
        example("\"a-b-c\", \"-\"", "[\"a\",\"b\",\"c\"]"),
        example("\"-a\", \"-\"", "[\"\",\"a\"]"),
        example("\"abc\", \"\"", "[\"abc\"]"),
        example("\"abc\", 1", "undefined"),
    ]),
];

fn join(arguments: &[Value]) -> Option<String> {
    let elements = arguments.first()?.as_array()?;
    let separator = argument::text(arguments, 1)?;
    let texts: Option<Vec<&str>> = elements.iter().map(Value::as_str).collect();
    texts.map(|texts| texts.join(separator))
}

fn split(text: &str, separator: &str) -> Value {
    if separator.is_empty() {
        return Value::array([Value::from(text)]);
    }
    Value::array(text.split(separator).map(Value::from))
}
