//! CHOOSE: one of its arguments, by number.
//!
//! Owns the counting from 1. Does not own laziness: every argument has been evaluated before.

use crate::function::argument;
use crate::function::declaration::{Family, Function, ReturnKind, call};

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(Family::Array, "CHOOSE", |arguments, _| {
        let place = argument::integer(arguments, 0)
            .filter(|number| *number >= 1)
            .and_then(|number| usize::try_from(number).ok());
        place.and_then(|place| arguments.get(place)).cloned().unwrap_or_default()
    })
    .takes(&["number", "value"])
    .variadic()
    .gives(ReturnKind::Any, "The value at a number, counted from 1; undefined beyond the last.")
    .examples(&[
        call("1, \"a\", \"b\", \"c\"", "\"a\""),
        call("3, \"a\", \"b\", \"c\"", "\"c\""),
        call("0, \"a\"", "undefined"),
        call("4, \"a\", \"b\", \"c\"", "undefined"),
        call("-1, \"a\"", "undefined"),
        call("1.5, \"a\"", "undefined"),
    ])];
