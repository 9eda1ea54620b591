//! IS_FINITE_NUMBER and IS_INTEGER.
//!
//! Owns the checks of the value of a number. Does not own IS_NUMBER: see `kind`.

use super::kind::{check, check_type};
use crate::function::declaration::{Function, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    check("IS_FINITE_NUMBER", |arguments, _| {
        check_type(arguments, |value| value.as_f64().is_some_and(f64::is_finite))
    })
    .returns(
        ReturnKind::Boolean,
        "Whether the value is a number other than NaN and the infinities.",
    )
    .examples(&[
        example("1234.567", "true"),
        example("\"1\"", "false"),
        example("undefined", "false"),
    ]),
    check("IS_INTEGER", |arguments, _| {
        check_type(arguments, |value| Value::as_i64(value).is_some())
    })
    .returns(ReturnKind::Boolean, "Whether the value is a whole number of 64 bits.")
    .examples(&[
        example("9223372036854775807", "true"),
        example("18446744073709551615", "false"),
        example("3454.123", "false"),
        example("2.0", "true"),
        example("undefined", "false"),
    ]),
];
