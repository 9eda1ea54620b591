//! INTADD, INTSUB, INTMUL, INTDIV and INTMOD: arithmetic that stays within 64-bit integers.
//!
//! Owns the refusal: a fraction, a zero divisor and an overflow are all undefined. Does not own the operators, which
//! widen to doubles instead.

use crate::function::declaration::{Family, Function, ReturnKind, call};
use crate::value::Value;

const FAMILY: Family = Family::Mathematical;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FAMILY, "INTADD", |arguments, _| calculate(arguments, i64::checked_add))
        .takes(&["left", "right"])
        .gives(ReturnKind::Integer, "The sum of two whole numbers.")
        .examples(&[call("20, 10", "30"), call("20, -10", "10"), call("20, 0.1", "undefined")]),
    Function::scalar(FAMILY, "INTSUB", |arguments, _| calculate(arguments, i64::checked_sub))
        .takes(&["left", "right"])
        .gives(ReturnKind::Integer, "The difference of two whole numbers.")
        .examples(&[call("25, 10", "15"), call("25, -15", "40"), call("25, 0.4", "undefined")]),
    Function::scalar(FAMILY, "INTMUL", |arguments, _| calculate(arguments, i64::checked_mul))
        .also(&["INTMULTIPLY"])
        .takes(&["left", "right"])
        .gives(ReturnKind::Integer, "The product of two whole numbers.")
        .examples(&[call("5, 2", "10"), call("5, -2", "-10"), call("5, 0.1", "undefined")]),
    Function::scalar(FAMILY, "INTDIV", |arguments, _| calculate(arguments, i64::checked_div))
        .takes(&["dividend", "divisor"])
        .gives(ReturnKind::Integer, "The quotient of two whole numbers, cut towards zero.")
        .examples(&[
            call("10, 2", "5"),
            call("10, -2", "-5"),
            call("-10, -2", "5"),
            call("10, 10", "1"),
            call("10, 0", "undefined"),
            call("10, 0.1", "undefined"),
        ]),
    Function::scalar(FAMILY, "INTMOD", |arguments, _| calculate(arguments, i64::checked_rem))
        .takes(&["dividend", "divisor"])
        .gives(
            ReturnKind::Integer,
            "What a division of whole numbers leaves over, with the sign of the dividend.",
        )
        .examples(&[
            call("12, 5", "2"),
            call("12, -5", "2"),
            call("-12, -5", "-2"),
            call("12, 0", "undefined"),
            call("12, 0.1", "undefined"),
        ]),
];

/// Of two whole numbers; undefined for anything else and when the result does not fit.
fn calculate(arguments: &[Value], operate: impl Fn(i64, i64) -> Option<i64>) -> Value {
    let [left, right] = arguments else { return Value::Undefined };
    left.as_i64().zip(right.as_i64()).and_then(|(left, right)| operate(left, right)).into()
}
