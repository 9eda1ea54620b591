//! ABS and SIGN.
//!
//! Integers stay integers. Does not own negation, which is an operator.

use crate::function::declaration::{Function, FunctionFamily, IndexUse, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::Mathematical, "ABS", |arguments, _| match arguments {
        [Value::Integer(integer)] => match integer.checked_abs() {
            Some(absolute) => Value::Integer(absolute),
            // Only i64::MIN has no positive counterpart in 64 bits.
            None => Value::Double((*integer as f64).abs()),
        },
        [Value::Double(double)] => Value::Double(double.abs()),
        _ => Value::Undefined,
    })
    .required(&["number"])
    .index_use(IndexUse::Range)
    .returns(ReturnKind::Number, "A number without its sign.")
    .examples(&[
        example("-1", "1"),
        example("0", "0"),
        example("1.5", "1.5"),
        example("\"1\"", "undefined"),
    ]),
    Function::scalar(FunctionFamily::Mathematical, "SIGN", |arguments, _| match arguments {
        [Value::Integer(integer)] => Value::Integer(integer.signum()),
        // `signum` of a double is never zero: it would return 1 or -1.
        [Value::Double(double)] if *double == 0.0 => Value::Integer(0),
        [Value::Double(double)] => Value::Double(double.signum()),
        _ => Value::Undefined,
    })
    .required(&["number"])
    .returns(ReturnKind::Number, "-1, 0 or 1, if a number is negative, zero or positive.")
    .examples(&[
        example("-2.5", "-1"),
        example("0", "0"),
        example("7", "1"),
        example("null", "undefined"),
    ]),
];
