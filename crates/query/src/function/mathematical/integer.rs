//! INTADD, INTSUB, INTMUL, INTDIV and INTMOD: arithmetic that stays within 64-bit integers.
//!
//! A fraction, a zero divisor and an overflow are all undefined. Does not own the operators, which widen to doubles
//! instead.

use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

const FAMILY: FunctionFamily = FunctionFamily::Mathematical;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FAMILY, "INTADD", |arguments, _| calculate(arguments, i64::checked_add))
        .required(&["left", "right"])
        .returns(ReturnKind::Integer, "The sum of two whole numbers.")
        .examples(&[
            example("20, 10", "30"),
            example("20, -10", "10"),
            example("20, 0.1", "undefined"),
        ]),
    Function::scalar(FAMILY, "INTSUB", |arguments, _| calculate(arguments, i64::checked_sub))
        .required(&["left", "right"])
        .returns(ReturnKind::Integer, "The difference of two whole numbers.")
        .examples(&[
            example("25, 10", "15"),
            example("25, -15", "40"),
            example("25, 0.4", "undefined"),
        ]),
    Function::scalar(FAMILY, "INTMUL", |arguments, _| calculate(arguments, i64::checked_mul))
        .aliases(&["INTMULTIPLY"])
        .required(&["left", "right"])
        .returns(ReturnKind::Integer, "The product of two whole numbers.")
        .examples(&[
            example("5, 2", "10"),
            example("5, -2", "-10"),
            example("5, 0.1", "undefined"),
        ]),
    Function::scalar(FAMILY, "INTDIV", |arguments, _| calculate(arguments, i64::checked_div))
        .required(&["dividend", "divisor"])
        .returns(ReturnKind::Integer, "The quotient of two whole numbers, truncated towards zero.")
        .examples(&[
            example("10, 2", "5"),
            example("10, -2", "-5"),
            example("-10, -2", "5"),
            example("10, 10", "1"),
            example("10, 0", "undefined"),
            example("10, 0.1", "undefined"),
        ]),
    Function::scalar(FAMILY, "INTMOD", |arguments, _| calculate(arguments, i64::checked_rem))
        .required(&["dividend", "divisor"])
        .returns(
            ReturnKind::Integer,
            "The remainder of a division of whole numbers, with the sign of the dividend.",
        )
        .examples(&[
            example("12, 5", "2"),
            example("12, -5", "2"),
            example("-12, -5", "-2"),
            example("12, 0", "undefined"),
            example("12, 0.1", "undefined"),
        ]),
];

/// Applies an operation to two integers; undefined for anything else and on overflow.
fn calculate(arguments: &[Value], operate: impl Fn(i64, i64) -> Option<i64>) -> Value {
    let [left, right] = arguments else { return Value::Undefined };
    left.as_i64().zip(right.as_i64()).and_then(|(left, right)| operate(left, right)).into()
}
