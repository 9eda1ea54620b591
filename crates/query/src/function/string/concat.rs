//! CONCAT: texts one after the other.
//!
//! Concatenates any number of strings. Does not own the operator `||`.

use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::String, "CONCAT", |arguments, context| {
        concat(arguments, context).into()
    })
    .required(&["first", "second"])
    .variadic()
    .returns(ReturnKind::String, "All strings, concatenated in order.")
    .examples(&[
        example("\"abc\", \"def\", \"g\"", "\"abcdefg\""),
        example("\"abc\", 1", "undefined"),
        example("\"abc\", undefined", "undefined"),
    ])];

fn concat(arguments: &[Value], context: &CallContext<'_>) -> Option<String> {
    let texts: Vec<&str> = arguments.iter().map(Value::as_str).collect::<Option<_>>()?;
    context.budget.build(texts.iter().map(|text| text.len()).sum())?;
    Some(texts.concat())
}
