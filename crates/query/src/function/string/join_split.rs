//! STRINGJOIN and STRINGSPLIT.
//!
//! A separator is always literal, never a pattern.

use crate::budget::TEXT_HEADER_BYTES;
use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::String, "STRINGJOIN", |arguments, context| {
        join(arguments, context).into()
    })
    .aliases(&["STRING_JOIN"])
    .required(&["array", "separator"])
    .returns(ReturnKind::String, "Joins the strings of an array with a separator.")
    .examples(&[
        example("[\"Adventure\", \"Works\"], \"-\"", "\"Adventure-Works\""),
        example("[], \"-\"", "\"\""),
        example("[\"a\", 1], \"-\"", "undefined"),
        example("[\"a\"], null", "undefined"),
    ]),
    Function::scalar(FunctionFamily::String, "STRINGSPLIT", |arguments, context| {
        let texts = argument::text(arguments, 0).zip(argument::text(arguments, 1));
        texts.and_then(|(text, separator)| split(text, separator, context)).into()
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

fn join(arguments: &[Value], context: &CallContext<'_>) -> Option<String> {
    let elements = arguments.first()?.as_array()?;
    let separator = argument::text(arguments, 1)?;
    let texts: Option<Vec<&str>> = elements.iter().map(Value::as_str).collect();
    let texts = texts?;
    let separators = texts.len().saturating_mul(separator.len());
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    context.budget.build(bytes.saturating_add(separators))?;
    Some(texts.join(separator))
}

fn split(text: &str, separator: &str, context: &CallContext<'_>) -> Option<Value> {
    let pieces = if separator.is_empty() { 1 } else { text.matches(separator).count() + 1 };
    let headers = pieces.saturating_mul(size_of::<Value>() + TEXT_HEADER_BYTES);
    context.budget.build(headers.saturating_add(text.len()))?;
    Some(if separator.is_empty() {
        Value::array([Value::from(text)])
    } else {
        Value::array(text.split(separator).map(Value::from))
    })
}
