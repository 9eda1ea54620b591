//! STRINGJOIN and STRINGSPLIT: between a text and its parts.
//!
//! Owns separators. Does not own patterns: a separator is always literal.

use crate::function::argument;
use crate::function::declaration::{Family, Function, ReturnKind, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(Family::String, "STRINGJOIN", |arguments, _| join(arguments).into())
        .also(&["STRING_JOIN"])
        .takes(&["array", "separator"])
        .gives(ReturnKind::String, "The texts of an array, with a separator between them.")
        .examples(&[
            call("[\"Adventure\", \"Works\"], \"-\"", "\"Adventure-Works\""),
            call("[], \"-\"", "\"\""),
            call("[\"a\", 1], \"-\"", "undefined"),
            call("[\"a\"], null", "undefined"),
        ]),
    Function::scalar(Family::String, "STRINGSPLIT", |arguments, _| {
        let texts = argument::text(arguments, 0).zip(argument::text(arguments, 1));
        texts.map(|(text, separator)| split(text, separator)).into()
    })
    .also(&["STRING_SPLIT"])
    .takes(&["text", "separator"])
    .gives(ReturnKind::Array, "The parts of a text between separators; all of it without any.")
    .examples(&[
        call("\"a-b-c\", \"-\"", "[\"a\",\"b\",\"c\"]"),
        call("\"-a\", \"-\"", "[\"\",\"a\"]"),
        call("\"abc\", \"\"", "[\"abc\"]"),
        call("\"abc\", 1", "undefined"),
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
