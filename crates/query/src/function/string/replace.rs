//! REPLACE: one text for another, everywhere.
//!
//! Owns literal replacement. Does not own patterns: see `regex`.

use crate::function::argument;
use crate::function::declaration::{Family, Function, ReturnKind, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(Family::String, "REPLACE", |arguments, _| replace(arguments).into())
        .takes(&["text", "part", "replacement"])
        .gives(
            ReturnKind::String,
            "A text with every occurrence of a part replaced; undefined for an empty part.",
        )
        .examples(&[
            call("\"AdventureWorks\", \"Works\", \"Time\"", "\"AdventureTime\""),
            call("\"aaa\", \"a\", \"\"", "\"\""),
            call("\"abc\", \"x\", \"y\"", "\"abc\""),
            call("\"abc\", \"\", \"y\"", "undefined"),
            call("\"abc\", \"a\", null", "undefined"),
        ])];

fn replace(arguments: &[Value]) -> Option<String> {
    let text = argument::text(arguments, 0)?;
    let part = argument::text(arguments, 1).filter(|part| !part.is_empty())?;
    Some(text.replace(part, argument::text(arguments, 2)?))
}
