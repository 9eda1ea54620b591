//! REPLACE: replaces all occurrences of a substring.
//!
//! Literal replacement only. Does not own patterns: see `regex`.

use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::String, "REPLACE", |arguments, _| {
        replace(arguments).into()
    })
    .required(&["text", "part", "replacement"])
    .returns(
        ReturnKind::String,
        "A string with every occurrence of a part replaced; undefined for an empty part.",
    )
    .examples(&[
        example("\"AdventureWorks\", \"Works\", \"Time\"", "\"AdventureTime\""),
        example("\"aaa\", \"a\", \"\"", "\"\""),
        example("\"abc\", \"x\", \"y\"", "\"abc\""),
        example("\"abc\", \"\", \"y\"", "undefined"),
        example("\"abc\", \"a\", null", "undefined"),
    ])];

fn replace(arguments: &[Value]) -> Option<String> {
    let text = argument::text(arguments, 0)?;
    // Rust would insert the replacement between all characters.
    let part = argument::text(arguments, 1).filter(|part| !part.is_empty())?;
    Some(text.replace(part, argument::text(arguments, 2)?))
}
