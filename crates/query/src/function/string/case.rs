//! LOWER and UPPER.
//!
//! Use the full Unicode case mapping.

use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::String, "LOWER", |arguments, context| {
        mapped(arguments, context, str::to_lowercase).into()
    })
    .required(&["text"])
    .returns(ReturnKind::String, "A string in lower case.")
    .examples(&[example("\"AdventureWorks\"", "\"adventureworks\""), example("1", "undefined")]),
    Function::scalar(FunctionFamily::String, "UPPER", |arguments, context| {
        mapped(arguments, context, str::to_uppercase).into()
    })
    .required(&["text"])
    .returns(ReturnKind::String, "A string in upper case.")
    .examples(&[example("\"AdventureWorks\"", "\"ADVENTUREWORKS\""), example("null", "undefined")]),
];

fn mapped(
    arguments: &[Value],
    context: &CallContext<'_>,
    map: impl Fn(&str) -> String,
) -> Option<String> {
    /// The longest case mapping: one letter of two bytes becomes three letters of two bytes each.
    const GROWTH_MAX: usize = 3;
    let text = argument::text(arguments, 0)?;
    context.budget.build(text.len().saturating_mul(GROWTH_MAX))?;
    Some(map(text))
}
