//! SUBSTRINGAFTER, SUBSTRINGBEFORE and their LAST forms: what lies around a mark.
//!
//! Owns the choice that a mark that does not occur gives the empty text.

use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, ScalarFunction, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    around("SUBSTRINGAFTER", |arguments, _| {
        cut(arguments, |text, mark| text.split_once(mark).map(|(_, after)| after))
    })
    .returns(ReturnKind::String, "The text after the first occurrence of a mark.")
    .examples(&[example("\"a.b.c\", \".\"", "\"b.c\""), example("\"abc\", \".\"", "\"\"")]),
    around("SUBSTRINGBEFORE", |arguments, _| {
        cut(arguments, |text, mark| text.split_once(mark).map(|(before, _)| before))
    })
    .returns(ReturnKind::String, "The text before the first occurrence of a mark.")
    .examples(&[example("\"a.b.c\", \".\"", "\"a\""), example("\"abc\", \".\"", "\"\"")]),
    around("LASTSUBSTRINGAFTER", |arguments, _| {
        cut(arguments, |text, mark| text.rsplit_once(mark).map(|(_, after)| after))
    })
    .returns(ReturnKind::String, "The text after the last occurrence of a mark.")
    .examples(&[example("\"a.b.c\", \".\"", "\"c\""), example("1, \".\"", "undefined")]),
    around("LASTSUBSTRINGBEFORE", |arguments, _| {
        cut(arguments, |text, mark| text.rsplit_once(mark).map(|(before, _)| before))
    })
    .returns(ReturnKind::String, "The text before the last occurrence of a mark.")
    .examples(&[example("\"a.b.c\", \".\"", "\"a.b\""), example("\"abc\", 1", "undefined")]),
];

const fn around(name: &'static str, evaluate: ScalarFunction) -> Function {
    Function::scalar(FunctionFamily::String, name, evaluate)
        .required(&["text", "mark"])
        .undocumented()
}

fn cut(
    arguments: &[Value],
    choose: impl for<'text> Fn(&'text str, &str) -> Option<&'text str>,
) -> Value {
    let texts = argument::text(arguments, 0).zip(argument::text(arguments, 1));
    texts.map(|(text, mark)| choose(text, mark).unwrap_or_default()).into()
}
