//! ACOS, ASIN, ATAN, ATN2, COS, COT, DEGREES, RADIANS, SIN and TAN.
//!
//! Angles are in radians. An angle that does not exist is NaN, not undefined.

use super::exponential::unary;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, ScalarFunction, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    angle("ACOS", |arguments, _| unary(arguments, f64::acos), "The angle with this cosine.")
        .examples(&[example("-1", "3.1415926535897931"), example("2", "NaN")]),
    angle("ASIN", |arguments, _| unary(arguments, f64::asin), "The angle with this sine.")
        .examples(&[example("-1", "-1.5707963267948966"), example("null", "undefined")]),
    angle("ATAN", |arguments, _| unary(arguments, f64::atan), "The angle with this tangent.")
        .examples(&[example("0", "0"), example("-45.01", "-1.5485826962062663")]),
    angle("ATN2", |arguments, _| arc_tangent(arguments), "The angle of the point (x, y).")
        .required(&["y", "x"])
        .examples(&[example("35.175643, 129.44", "0.265344532064832")]),
    angle("COS", |arguments, _| unary(arguments, f64::cos), "The cosine of an angle.")
        .examples(&[example("0", "1")]),
    angle("COT", |arguments, _| unary(arguments, cotangent), "The cotangent of an angle.")
        .examples(&[example("\"1\"", "undefined")]),
    angle("DEGREES", |arguments, _| unary(arguments, degrees), "An angle in radians as degrees.")
        .examples(&[example("3.141592653589793", "180")]),
    angle("RADIANS", |arguments, _| unary(arguments, radians), "An angle in degrees as radians.")
        .examples(&[example("180", "3.1415926535897931")]),
    angle("SIN", |arguments, _| unary(arguments, f64::sin), "The sine of an angle.")
        .examples(&[example("0", "0")]),
    angle("TAN", |arguments, _| unary(arguments, f64::tan), "The tangent of an angle.")
        .examples(&[example("0", "0"), example("true", "undefined")]),
];

/// A function of one number that returns a number.
const fn angle(name: &'static str, evaluate: ScalarFunction, summary: &'static str) -> Function {
    Function::scalar(FunctionFamily::Mathematical, name, evaluate)
        .required(&["number"])
        .returns(ReturnKind::Number, summary)
}

fn arc_tangent(arguments: &[Value]) -> Value {
    let [y, x] = arguments else { return Value::Undefined };
    y.as_f64().zip(x.as_f64()).map(|(y, x)| y.atan2(x)).into()
}

fn cotangent(angle: f64) -> f64 {
    1.0 / angle.tan()
}

fn degrees(angle: f64) -> f64 {
    angle * (180.0 / std::f64::consts::PI)
}

fn radians(angle: f64) -> f64 {
    angle * (std::f64::consts::PI / 180.0)
}
