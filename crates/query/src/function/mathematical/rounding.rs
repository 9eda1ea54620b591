//! CEILING, FLOOR, ROUND and TRUNC.
//!
//! Owns the four ways to a whole number; whole numbers pass through exactly.

use crate::function::declaration::{Family, Function, IndexUse, ReturnKind, call};
use crate::value::Value;

const FAMILY: Family = Family::Mathematical;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FAMILY, "CEILING", |arguments, _| round(arguments, f64::ceil))
        .takes(&["number"])
        .uses(IndexUse::Range)
        .gives(ReturnKind::Number, "The least whole number that is not below a number.")
        .examples(&[call("62.6", "63"), call("-62.6", "-62"), call("-0.5", "0")]),
    Function::scalar(FAMILY, "FLOOR", |arguments, _| round(arguments, f64::floor))
        .takes(&["number"])
        .uses(IndexUse::Range)
        .gives(ReturnKind::Number, "The greatest whole number that is not above a number.")
        .examples(&[call("62.6", "62"), call("-62.6", "-63")]),
    Function::scalar(FAMILY, "ROUND", |arguments, _| round(arguments, f64::round))
        .takes(&["number"])
        .uses(IndexUse::Range)
        .gives(ReturnKind::Number, "The nearest whole number; halves go away from zero.")
        .examples(&[
            call("2.5", "3"),
            call("-0.5", "-1"),
            call("2.4", "2"),
            call("-2.6", "-3"),
            call("9007199254740993", "9007199254740993"),
            call("\"2\"", "undefined"),
        ]),
    Function::scalar(FAMILY, "TRUNC", |arguments, _| round(arguments, f64::trunc))
        .takes(&["number"])
        .uses(IndexUse::Range)
        .gives(ReturnKind::Number, "A number without its fraction.")
        .examples(&[call("2.9", "2"), call("-2.9", "-2")]),
];

fn round(arguments: &[Value], operate: impl Fn(f64) -> f64) -> Value {
    match arguments {
        [Value::Integer(integer)] => Value::Integer(*integer),
        [Value::Double(double)] => Value::Double(operate(*double)),
        _ => Value::Undefined,
    }
}
