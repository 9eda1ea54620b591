//! LOWER and UPPER.
//!
//! Owns the choice of the full Unicode mapping.

use crate::function::argument;
use crate::function::declaration::{Family, Function, ReturnKind, call};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(Family::String, "LOWER", |arguments, _| {
        argument::text(arguments, 0).map(str::to_lowercase).into()
    })
    .takes(&["text"])
    .gives(ReturnKind::String, "A text in lower case.")
    .examples(&[call("\"AdventureWorks\"", "\"adventureworks\""), call("1", "undefined")]),
    Function::scalar(Family::String, "UPPER", |arguments, _| {
        argument::text(arguments, 0).map(str::to_uppercase).into()
    })
    .takes(&["text"])
    .gives(ReturnKind::String, "A text in upper case.")
    .examples(&[call("\"AdventureWorks\"", "\"ADVENTUREWORKS\""), call("null", "undefined")]),
];
