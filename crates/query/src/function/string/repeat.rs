//! REPLICATE and REVERSE.
//!
//! Owns the limit on the length of a repeated string.

use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::{Value, utf16};

/// The largest result of REPLICATE, in UTF-16 code units.
const REPLICATED_UNITS_MAX: usize = 10_000;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::String, "REPLICATE", |arguments, context| {
        replicate(arguments, context).into()
    })
    .required(&["text", "times"])
    .returns(
        ReturnKind::String,
        "A string repeated a number of times; undefined if it would exceed 10,000 characters.",
    )
    .examples(&[
        example("\"a\", 3", "\"aaa\""),
        example("\"ab\", 0", "\"\""),
        example("\"a\", -1", "undefined"),
        example("\"a\", 10001", "undefined"),
        example("1, 3", "undefined"),
    ]),
    Function::scalar(FunctionFamily::String, "REVERSE", |arguments, context| {
        let reverse = |text: &str| {
            context.budget.build(text.len())?;
            Some(text.chars().rev().collect::<String>())
        };
        argument::text(arguments, 0).and_then(reverse).into()
    })
    .required(&["text"])
    .returns(ReturnKind::String, "The characters of a string in reverse order.")
    .examples(&[example("\"AdventureWorks\"", "\"skroWerutnevdA\""), example("1", "undefined")]),
];

fn replicate(arguments: &[Value], context: &CallContext<'_>) -> Option<String> {
    let text = argument::text(arguments, 0)?;
    let times = usize::try_from(argument::integer(arguments, 1)?).ok()?;
    // The limit is checked before anything is allocated.
    let units = utf16::length(text).checked_mul(times)?;
    // An empty text passes for any number of times, so it must not be repeated in a loop.
    if units > REPLICATED_UNITS_MAX {
        return None;
    }
    context.budget.build(text.len().saturating_mul(times))?;
    Some(if text.is_empty() { String::new() } else { text.repeat(times) })
}
