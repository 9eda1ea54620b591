//! INTBITAND and the other INTBIT functions, on 64-bit integers.
//!
//! Does not own the bitwise operators, which work on 32 bits.

use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

const FAMILY: FunctionFamily = FunctionFamily::Mathematical;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FAMILY, "INTBITAND", |arguments, _| {
        combine(arguments, |left, right| Some(left & right))
    })
    .required(&["left", "right"])
    .returns(ReturnKind::Integer, "Keeps the bits set in both whole numbers.")
    .examples(&[
        example("15, 25", "9"),
        example("15, 0", "0"),
        example("15, 1.5", "undefined"),
    ]),
    Function::scalar(FAMILY, "INTBITOR", |arguments, _| {
        combine(arguments, |left, right| Some(left | right))
    })
    .required(&["left", "right"])
    .returns(ReturnKind::Integer, "Keeps the bits set in either whole number.")
    .examples(&[example("56, 100", "124"), example("56, 100.1", "undefined")]),
    Function::scalar(FAMILY, "INTBITXOR", |arguments, _| {
        combine(arguments, |left, right| Some(left ^ right))
    })
    .required(&["left", "right"])
    .returns(ReturnKind::Integer, "Keeps the bits set in exactly one of two whole numbers.")
    .examples(&[example("56, 100", "92"), example("56, \"1\"", "undefined")]),
    Function::scalar(FAMILY, "INTBITNOT", |arguments, _| {
        arguments.first().and_then(Value::as_i64).map(|bits| !bits).into()
    })
    .required(&["operand"])
    .returns(ReturnKind::Integer, "Inverts every bit of a whole number.")
    .examples(&[example("65", "-66"), example("0.1", "undefined")]),
    Function::scalar(FAMILY, "INTBITLEFTSHIFT", |arguments, _| {
        combine(arguments, |bits, indexes| bits.checked_shl(u32::try_from(indexes).ok()?))
    })
    .required(&["operand", "places"])
    .returns(
        ReturnKind::Integer,
        "Shifts the bits of a whole number to the left by 0 to 63 places.",
    )
    .examples(&[example("16, 4", "256"), example("16, 0.4", "undefined")]),
    Function::scalar(FAMILY, "INTBITRIGHTSHIFT", |arguments, _| {
        combine(arguments, |bits, indexes| bits.checked_shr(u32::try_from(indexes).ok()?))
    })
    .required(&["operand", "places"])
    .returns(
        ReturnKind::Integer,
        "Shifts the bits of a whole number to the right by 0 to 63 places, keeping the sign.",
    )
    .examples(&[
        example("16, 4", "1"),
        example("-16, 2", "-4"),
        example("16, 0.4", "undefined"),
    ]),
];

/// Applies an operation to two integers; undefined for anything else, and for a shift by an invalid distance.
fn combine(arguments: &[Value], operate: impl Fn(i64, i64) -> Option<i64>) -> Value {
    let [left, right] = arguments else { return Value::Undefined };
    left.as_i64().zip(right.as_i64()).and_then(|(left, right)| operate(left, right)).into()
}
