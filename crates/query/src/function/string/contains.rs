//! CONTAINS, and its variants with several strings: CONTAINS_ALL_CI, CONTAINS_ALL_CS, CONTAINS_ANY_CI, CONTAINS_ANY_CS.
//!
//! Owns how the results for each string combine: by three-valued AND and OR.

use super::affix::compare;
use crate::budget::value_units;
use crate::function::context::CallContext;
use crate::function::declaration::{
    Function, FunctionFamily, IndexUse, ReturnKind, ScalarFunction, example,
};
use crate::value::Value;
use crate::value::logic::{and, or};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::String, "CONTAINS", |arguments, context| {
        compare(arguments, context, |text, part| text.contains(part)).into()
    })
    .required(&["text", "part"])
    .optional(&["ignore_case"])
    .index_use(IndexUse::FullScan)
    .returns(ReturnKind::Boolean, "Whether a string contains another.")
    .examples(&[
        example("\"AdventureWorks\", \"Works\"", "true"),
        example("\"AdventureWorks\", \"works\"", "false"),
        example("\"AdventureWorks\", \"works\", true", "true"),
        example("\"AdventureWorks\", \"\"", "true"),
        example("[\"a\"], \"a\"", "undefined"),
        example("\"a\", \"a\", 1", "undefined"),
    ]),
    several("CONTAINS_ALL_CI", |arguments, context| {
        all(arguments, context, CaseSensitivity::Insensitive)
    })
    .aliases(&["CONTAINSALLCI"])
    .returns(ReturnKind::Boolean, "Whether a string contains all of the others, ignoring case.")
    .examples(&[
        example("\"Have a nice day!\", \"have\", \"nice\", \"day!\"", "true"),
        example("\"Have a nice day!\", \"HAVE\", \"NICE\", \"DAY!\"", "true"),
        example("\"Have a nice day!\", \"had\", \"nice\", \"day!\"", "false"),
        example("\"Have a nice day!\", undefined, \"nice\", \"day!\"", "undefined"),
        example("\"Have a nice day!\", undefined, \"had\"", "false"),
    ]),
    several("CONTAINS_ALL_CS", |arguments, context| {
        all(arguments, context, CaseSensitivity::Sensitive)
    })
    .aliases(&["CONTAINSALLCS"])
    .returns(ReturnKind::Boolean, "Whether a string contains all of the others, in the same case.")
    .examples(&[
        example("\"Have a nice day!\", \"Have\", \"nice\"", "true"),
        example("\"Have a nice day!\", \"HAVE\", \"nice\"", "false"),
    ]),
    several("CONTAINS_ANY_CI", |arguments, context| {
        any(arguments, context, CaseSensitivity::Insensitive)
    })
    .aliases(&["CONTAINSANYCI"])
    .returns(ReturnKind::Boolean, "Whether a string contains any of the others, ignoring case.")
    .examples(&[
        example("\"Have a nice day!\", \"HAD\", \"NICE\"", "true"),
        example("\"Have a nice day!\", \"had\"", "false"),
        example("\"Have a nice day!\", undefined, \"had\"", "undefined"),
    ]),
    several("CONTAINS_ANY_CS", |arguments, context| {
        any(arguments, context, CaseSensitivity::Sensitive)
    })
    .aliases(&["CONTAINSANYCS"])
    .returns(ReturnKind::Boolean, "Whether a string contains any of the others, in the same case.")
    .examples(&[
        example("\"Have a nice day!\", \"Have\", \"had\"", "true"),
        example("\"Have a nice day!\", \"HAVE\", \"had\"", "false"),
        example("\"Have a nice day!\", undefined, \"nice\"", "true"),
    ]),
];

const fn several(name: &'static str, evaluate: ScalarFunction) -> Function {
    Function::scalar(FunctionFamily::String, name, evaluate)
        .required(&["text", "part"])
        .variadic()
        .index_use(IndexUse::FullScan)
}

/// Whether upper and lower case are distinguished.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CaseSensitivity {
    Insensitive,
    Sensitive,
}

fn all(arguments: &[Value], context: &CallContext<'_>, case: CaseSensitivity) -> Value {
    part_results(arguments, context, case).fold(Some(true), and).into()
}

fn any(arguments: &[Value], context: &CallContext<'_>, case: CaseSensitivity) -> Value {
    part_results(arguments, context, case).fold(Some(false), or).into()
}

/// The result of CONTAINS for each of the parts.
// The binder has checked the number of arguments; this only avoids a panic.
fn part_results(
    arguments: &[Value],
    context: &CallContext<'_>,
    case: CaseSensitivity,
) -> impl Iterator<Item = Option<bool>> {
    let (text, parts) = arguments.split_first().unwrap_or((&Value::Undefined, &[]));
    parts.iter().map(move |part| {
        let arguments =
            [text.clone(), part.clone(), Value::Bool(case == CaseSensitivity::Insensitive)];
        // The text is read once for each part.
        context.budget.work(value_units(text))?;
        compare(&arguments, context, |text, part| text.contains(part))
    })
}
