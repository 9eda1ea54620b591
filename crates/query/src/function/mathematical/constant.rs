//! PI and RAND: functions without arguments.
//!
//! Does not own randomness: the context provides it.

use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::Mathematical, "PI", |_, _| {
        Value::Double(std::f64::consts::PI)
    })
    .returns(ReturnKind::Number, "The ratio of a circle's circumference to its diameter.")
    .examples(&[example("", "3.1415926535897931")]),
    Function::scalar(FunctionFamily::Mathematical, "RAND", |_, context| {
        Value::Double((context.random)())
    })
    .returns(ReturnKind::Number, "A random number, at least 0 and below 1, new in every call."),
];
