//! LOWER and UPPER.
//!
//! Use the full Unicode case mapping.

use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::String, "LOWER", |arguments, _| {
        argument::text(arguments, 0).map(str::to_lowercase).into()
    })
    .required(&["text"])
    .returns(ReturnKind::String, "A string in lower case.")
    .examples(&[example("\"AdventureWorks\"", "\"adventureworks\""), example("1", "undefined")]),
    Function::scalar(FunctionFamily::String, "UPPER", |arguments, _| {
        argument::text(arguments, 0).map(str::to_uppercase).into()
    })
    .required(&["text"])
    .returns(ReturnKind::String, "A string in upper case.")
    .examples(&[example("\"AdventureWorks\"", "\"ADVENTUREWORKS\""), example("null", "undefined")]),
];
