//! CHOOSE: one of its arguments, by position.
//!
//! Positions count from 1. Not lazy: every argument has been evaluated before.

use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::Array, "CHOOSE", |arguments, _| {
        let index = argument::integer(arguments, 0)
            .filter(|number| *number >= 1)
            .and_then(|number| usize::try_from(number).ok());
        index.and_then(|index| arguments.get(index)).cloned().unwrap_or_default()
    })
    .required(&["number", "value"])
    .variadic()
    .returns(ReturnKind::Any, "The value at a position, counted from 1; undefined beyond the last.")
    .examples(&[
        example("1, \"a\", \"b\", \"c\"", "\"a\""),
        example("3, \"a\", \"b\", \"c\"", "\"c\""),
        example("0, \"a\"", "undefined"),
        example("4, \"a\", \"b\", \"c\"", "undefined"),
        example("-1, \"a\"", "undefined"),
        example("1.5, \"a\"", "undefined"),
    ])];
