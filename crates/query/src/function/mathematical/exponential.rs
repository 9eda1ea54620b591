//! EXP, LOG, LOG10, POWER, SQRT and SQUARE.
//!
//! Owns powers and logarithms, on doubles; NaN and the infinities are ordinary results.

use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::{Value, arithmetic};

const FAMILY: FunctionFamily = FunctionFamily::Mathematical;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FAMILY, "EXP", |arguments, _| unary(arguments, f64::exp))
        .required(&["exponent"])
        .returns(ReturnKind::Number, "Raises Euler's number to a power.")
        .examples(&[example("0", "1"), example("\"1\"", "undefined")]),
    Function::scalar(FAMILY, "LOG", |arguments, _| logarithm(arguments))
        .required(&["number"])
        .optional(&["base"])
        .returns(ReturnKind::Number, "The logarithm of a number, natural unless a base is given.")
        .examples(&[
            example("10", "2.3025850929940459"),
            example("2, 10", "0.3010299956639812"),
            example("8, 2", "3"),
            example("0", "-Infinity"),
        ]),
    Function::scalar(FAMILY, "LOG10", |arguments, _| unary(arguments, f64::log10))
        .required(&["number"])
        .returns(ReturnKind::Number, "The logarithm of a number to base ten.")
        .examples(&[example("100", "2")]),
    Function::scalar(FAMILY, "POWER", |arguments, _| {
        let [base, exponent] = arguments else { return Value::Undefined };
        base.as_f64().zip(exponent.as_f64()).map(|(base, exponent)| base.powf(exponent)).into()
    })
    .required(&["base", "exponent"])
    .returns(ReturnKind::Number, "Raises a number to a power.")
    .examples(&[
        example("2, 3", "8"),
        example("2.5, 3", "15.625"),
        example("2, null", "undefined"),
    ]),
    Function::scalar(FAMILY, "SQRT", |arguments, _| unary(arguments, f64::sqrt))
        .required(&["number"])
        .returns(ReturnKind::Number, "The square root of a number.")
        .examples(&[example("4", "2"), example("2", "1.4142135623730951"), example("-1", "NaN")]),
    Function::scalar(FAMILY, "SQUARE", |arguments, _| match arguments {
        [number] => arithmetic::multiply(number, number),
        _ => Value::Undefined,
    })
    .required(&["number"])
    .returns(ReturnKind::Number, "A number multiplied by itself.")
    .examples(&[example("3", "9"), example("-1.5", "2.25"), example("\"3\"", "undefined")]),
];

/// Applies a function to a number; undefined for anything else.
pub(super) fn unary(arguments: &[Value], operate: impl Fn(f64) -> f64) -> Value {
    arguments.first().and_then(Value::as_f64).map(operate).into()
}

/// Bases two and ten have dedicated functions, because the quotient of natural logarithms differs in the last digit.
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
