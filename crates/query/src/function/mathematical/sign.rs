//! ABS and SIGN.
//!
//! Owns the sign and its removal; whole numbers stay whole. Does not own negation, which is an operator.

use crate::function::declaration::{Family, Function, IndexUse, ReturnKind, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(Family::Mathematical, "ABS", |arguments, _| match arguments {
        [Value::Integer(integer)] => match integer.checked_abs() {
            Some(absolute) => Value::Integer(absolute),
            None => Value::Double((*integer as f64).abs()),
        },
        [Value::Double(double)] => Value::Double(double.abs()),
        _ => Value::Undefined,
    })
    .takes(&["number"])
    .uses(IndexUse::Range)
    .gives(ReturnKind::Number, "A number without its sign.")
    .examples(&[
        call("-1", "1"),
        call("0", "0"),
        call("1.5", "1.5"),
        call("\"1\"", "undefined"),
    ]),
    Function::scalar(Family::Mathematical, "SIGN", |arguments, _| match arguments {
        [Value::Integer(integer)] => Value::Integer(integer.signum()),
        [Value::Double(double)] if *double == 0.0 => Value::Integer(0),
        [Value::Double(double)] => Value::Double(double.signum()),
        _ => Value::Undefined,
    })
    .takes(&["number"])
    .gives(ReturnKind::Number, "-1, 0 or 1, as a number is below, at or above zero.")
    .examples(&[
        call("-2.5", "-1"),
        call("0", "0"),
        call("7", "1"),
        call("null", "undefined"),
    ]),
];
