//! SUBSTRINGAFTER, SUBSTRINGBEFORE and their LAST variants.
//!
//! If the delimiter does not occur, the result is the empty string.

use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, ScalarFunction, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    around("SUBSTRINGAFTER", |arguments, context| {
        cut(arguments, context, |text, mark| text.split_once(mark).map(|(_, after)| after))
    })
    .returns(ReturnKind::String, "The part of a string after the first occurrence of a delimiter.")
    .examples(&[example("\"a.b.c\", \".\"", "\"b.c\""), example("\"abc\", \".\"", "\"\"")]),
    around("SUBSTRINGBEFORE", |arguments, context| {
        cut(arguments, context, |text, mark| text.split_once(mark).map(|(before, _)| before))
    })
    .returns(ReturnKind::String, "The part of a string before the first occurrence of a delimiter.")
    .examples(&[example("\"a.b.c\", \".\"", "\"a\""), example("\"abc\", \".\"", "\"\"")]),
    around("LASTSUBSTRINGAFTER", |arguments, context| {
        cut(arguments, context, |text, mark| text.rsplit_once(mark).map(|(_, after)| after))
    })
    .returns(ReturnKind::String, "The part of a string after the last occurrence of a delimiter.")
    .examples(&[example("\"a.b.c\", \".\"", "\"c\""), example("1, \".\"", "undefined")]),
    around("LASTSUBSTRINGBEFORE", |arguments, context| {
        cut(arguments, context, |text, mark| text.rsplit_once(mark).map(|(before, _)| before))
    })
    .returns(ReturnKind::String, "The part of a string before the last occurrence of a delimiter.")
    .examples(&[example("\"a.b.c\", \".\"", "\"a.b\""), example("\"abc\", 1", "undefined")]),
];

const fn around(name: &'static str, evaluate: ScalarFunction) -> Function {
    Function::scalar(FunctionFamily::String, name, evaluate)
        .required(&["text", "mark"])
        .undocumented()
}

fn cut(
    arguments: &[Value],
    context: &CallContext<'_>,
    choose: impl for<'text> Fn(&'text str, &str) -> Option<&'text str>,
) -> Value {
    let texts = argument::text(arguments, 0).zip(argument::text(arguments, 1));
    let copy = |(text, mark): (&str, &str)| {
        let part = choose(text, mark).unwrap_or_default();
        context.budget.build(part.len())?;
        Some(Value::from(part))
    };
    texts.and_then(copy).into()
}
