//! REPLACE: replaces all occurrences of a substring.
//!
//! Literal replacement only. Does not own patterns: see `regex`.

use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::String, "REPLACE", |arguments, context| {
        replace(arguments, context).into()
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

fn replace(arguments: &[Value], context: &CallContext<'_>) -> Option<String> {
    let text = argument::text(arguments, 0)?;
    // Rust would insert the replacement between all characters.
    let part = argument::text(arguments, 1).filter(|part| !part.is_empty())?;
    let replacement = argument::text(arguments, 2)?;
    // The result may be as long as the square of the arguments, so that its length is counted before it is built.
    let occurrences = text.matches(part).count();
    let kept = text.len() - occurrences * part.len();
    context.budget.build(occurrences.saturating_mul(replacement.len()).saturating_add(kept))?;
    Some(text.replace(part, replacement))
}
