//! EXP, LOG, LOG10, POWER, SQRT and SQUARE.
//!
//! Owns powers and their inverses, on doubles; NaN and the infinities are results like any other.

use crate::function::declaration::{Family, Function, ReturnKind, call};
use crate::value::{Value, arithmetic};

const FAMILY: Family = Family::Mathematical;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FAMILY, "EXP", |arguments, _| unary(arguments, f64::exp))
        .takes(&["exponent"])
        .gives(ReturnKind::Number, "Raises Euler's number to a power.")
        .examples(&[call("0", "1"), call("\"1\"", "undefined")]),
    Function::scalar(FAMILY, "LOG", |arguments, _| logarithm(arguments))
        .takes(&["number"])
        .may_take(&["base"])
        .gives(ReturnKind::Number, "The logarithm of a number, natural unless a base is given.")
        .examples(&[
            call("10", "2.3025850929940459"),
            call("2, 10", "0.3010299956639812"),
            call("8, 2", "3"),
            call("0", "-Infinity"),
        ]),
    Function::scalar(FAMILY, "LOG10", |arguments, _| unary(arguments, f64::log10))
        .takes(&["number"])
        .gives(ReturnKind::Number, "The logarithm of a number to base ten.")
        .examples(&[call("100", "2")]),
    Function::scalar(FAMILY, "POWER", |arguments, _| {
        let [base, exponent] = arguments else { return Value::Undefined };
        base.as_f64().zip(exponent.as_f64()).map(|(base, exponent)| base.powf(exponent)).into()
    })
    .takes(&["base", "exponent"])
    .gives(ReturnKind::Number, "Raises a number to a power.")
    .examples(&[call("2, 3", "8"), call("2.5, 3", "15.625"), call("2, null", "undefined")]),
    Function::scalar(FAMILY, "SQRT", |arguments, _| unary(arguments, f64::sqrt))
        .takes(&["number"])
        .gives(ReturnKind::Number, "The square root of a number.")
        .examples(&[call("4", "2"), call("2", "1.4142135623730951"), call("-1", "NaN")]),
    Function::scalar(FAMILY, "SQUARE", |arguments, _| match arguments {
        [number] => arithmetic::multiply(number, number),
        _ => Value::Undefined,
    })
    .takes(&["number"])
    .gives(ReturnKind::Number, "A number multiplied by itself.")
    .examples(&[call("3", "9"), call("-1.5", "2.25"), call("\"3\"", "undefined")]),
];

/// A double for a number; undefined for anything else.
pub(super) fn unary(arguments: &[Value], operate: impl Fn(f64) -> f64) -> Value {
    arguments.first().and_then(Value::as_f64).map(operate).into()
}

/// Bases two and ten have a rounding of their own, which the general quotient misses by a digit.
fn logarithm(arguments: &[Value]) -> Value {
    let logarithm = |number: f64, base: f64| match base {
        2.0 => number.log2(),
        10.0 => number.log10(),
        _ => number.ln() / base.ln(),
    };
    match arguments {
        [_] => unary(arguments, f64::ln),
        [number, base] => {
            number.as_f64().zip(base.as_f64()).map(|(number, base)| logarithm(number, base)).into()
        }
        _ => Value::Undefined,
    }
}
