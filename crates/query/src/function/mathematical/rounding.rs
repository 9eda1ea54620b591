//! CEILING, FLOOR, ROUND and TRUNC.
//!
//! Owns the four kinds of rounding; integers are returned unchanged.

use crate::function::declaration::{Function, FunctionFamily, IndexUse, ReturnKind, example};
use crate::value::Value;

const FAMILY: FunctionFamily = FunctionFamily::Mathematical;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FAMILY, "CEILING", |arguments, _| round(arguments, f64::ceil))
        .required(&["number"])
        .index_use(IndexUse::Range)
        .returns(ReturnKind::Number, "The least whole number that is not below a number.")
        .examples(&[example("62.6", "63"), example("-62.6", "-62"), example("-0.5", "0")]),
    Function::scalar(FAMILY, "FLOOR", |arguments, _| round(arguments, f64::floor))
        .required(&["number"])
        .index_use(IndexUse::Range)
        .returns(ReturnKind::Number, "The greatest whole number that is not above a number.")
        .examples(&[example("62.6", "62"), example("-62.6", "-63")]),
    Function::scalar(FAMILY, "ROUND", |arguments, _| round(arguments, f64::round))
        .required(&["number"])
        .index_use(IndexUse::Range)
        .returns(ReturnKind::Number, "The nearest whole number; halves go away from zero.")
        .examples(&[
            example("2.5", "3"),
            example("-0.5", "-1"),
            example("2.4", "2"),
            example("-2.6", "-3"),
            example("9007199254740993", "9007199254740993"),
            example("\"2\"", "undefined"),
        ]),
    Function::scalar(FAMILY, "TRUNC", |arguments, _| round(arguments, f64::trunc))
        .required(&["number"])
        .index_use(IndexUse::Range)
        .returns(ReturnKind::Number, "A number without its fraction.")
        .examples(&[example("2.9", "2"), example("-2.9", "-2")]),
];

fn round(arguments: &[Value], operate: impl Fn(f64) -> f64) -> Value {
    match arguments {
        // Not through a double, which would lose the low bits of large integers.
        [Value::Integer(integer)] => Value::Integer(*integer),
        [Value::Double(double)] => Value::Double(operate(*double)),
        _ => Value::Undefined,
    }
}
