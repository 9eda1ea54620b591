//! CONTAINS, and its forms with several texts: CONTAINS_ALL_CI, CONTAINS_ALL_CS, CONTAINS_ANY_CI and CONTAINS_ANY_CS.
//!
//! Owns how the answers for each text combine: by the logic of AND and OR, undefined included.

use super::affix::compare;
use crate::function::declaration::{Family, Function, IndexUse, ReturnKind, Scalar, call};
use crate::value::Value;
use crate::value::logic::{and, or};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(Family::String, "CONTAINS", |arguments, _| {
        compare(arguments, |text, part| text.contains(part)).into()
    })
    .takes(&["text", "part"])
    .may_take(&["ignore_case"])
    .uses(IndexUse::FullScan)
    .gives(ReturnKind::Boolean, "Whether a text holds another.")
    .examples(&[
        call("\"AdventureWorks\", \"Works\"", "true"),
        call("\"AdventureWorks\", \"works\"", "false"),
        call("\"AdventureWorks\", \"works\", true", "true"),
        call("\"AdventureWorks\", \"\"", "true"),
        call("[\"a\"], \"a\"", "undefined"),
        call("\"a\", \"a\", 1", "undefined"),
    ]),
    several("CONTAINS_ALL_CI", |arguments, _| all(arguments, Case::Ignored))
        .also(&["CONTAINSALLCI"])
        .gives(ReturnKind::Boolean, "Whether a text holds all others, whatever their case.")
        .examples(&[
            call("\"Have a nice day!\", \"have\", \"nice\", \"day!\"", "true"),
            call("\"Have a nice day!\", \"HAVE\", \"NICE\", \"DAY!\"", "true"),
            call("\"Have a nice day!\", \"had\", \"nice\", \"day!\"", "false"),
            call("\"Have a nice day!\", undefined, \"nice\", \"day!\"", "undefined"),
            call("\"Have a nice day!\", undefined, \"had\"", "false"),
        ]),
    several("CONTAINS_ALL_CS", |arguments, _| all(arguments, Case::Kept))
        .also(&["CONTAINSALLCS"])
        .gives(ReturnKind::Boolean, "Whether a text holds all others, in the same case.")
        .examples(&[
            call("\"Have a nice day!\", \"Have\", \"nice\"", "true"),
            call("\"Have a nice day!\", \"HAVE\", \"nice\"", "false"),
        ]),
    several("CONTAINS_ANY_CI", |arguments, _| any(arguments, Case::Ignored))
        .also(&["CONTAINSANYCI"])
        .gives(ReturnKind::Boolean, "Whether a text holds some of the others, whatever their case.")
        .examples(&[
            call("\"Have a nice day!\", \"HAD\", \"NICE\"", "true"),
            call("\"Have a nice day!\", \"had\"", "false"),
            call("\"Have a nice day!\", undefined, \"had\"", "undefined"),
        ]),
    several("CONTAINS_ANY_CS", |arguments, _| any(arguments, Case::Kept))
        .also(&["CONTAINSANYCS"])
        .gives(ReturnKind::Boolean, "Whether a text holds some of the others, in the same case.")
        .examples(&[
            call("\"Have a nice day!\", \"Have\", \"had\"", "true"),
            call("\"Have a nice day!\", \"HAVE\", \"had\"", "false"),
            call("\"Have a nice day!\", undefined, \"nice\"", "true"),
        ]),
];

const fn several(name: &'static str, evaluate: Scalar) -> Function {
    Function::scalar(Family::String, name, evaluate)
        .takes(&["text", "part"])
        .variadic()
        .uses(IndexUse::FullScan)
}

/// Whether upper and lower case differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Ignored,
    Kept,
}

fn all(arguments: &[Value], case: Case) -> Value {
    answers(arguments, case).fold(Some(true), and).into()
}

fn any(arguments: &[Value], case: Case) -> Value {
    answers(arguments, case).fold(Some(false), or).into()
}

/// What CONTAINS says about each of the parts.
fn answers(arguments: &[Value], case: Case) -> impl Iterator<Item = Option<bool>> {
    let (text, parts) = arguments.split_first().unwrap_or((&Value::Undefined, &[]));
    parts.iter().map(move |part| {
        let arguments = [text.clone(), part.clone(), Value::Bool(case == Case::Ignored)];
        compare(&arguments, |text, part| text.contains(part))
    })
}
