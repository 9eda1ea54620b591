//! IS_FINITE_NUMBER and IS_INTEGER.
//!
//! Owns the questions about the size of a number. Does not own IS_NUMBER: see `kind`.

use super::kind::{check, is};
use crate::function::declaration::{Function, ReturnKind, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    check("IS_FINITE_NUMBER", |arguments, _| {
        is(arguments, |value| value.as_f64().is_some_and(f64::is_finite))
    })
    .gives(ReturnKind::Boolean, "Whether the value is a number other than NaN and the infinities.")
    .examples(&[call("1234.567", "true"), call("\"1\"", "false"), call("undefined", "false")]),
    check("IS_INTEGER", |arguments, _| is(arguments, |value| Value::as_i64(value).is_some()))
        .gives(ReturnKind::Boolean, "Whether the value is a whole number of 64 bits.")
        .examples(&[
            call("9223372036854775807", "true"),
            call("18446744073709551615", "false"),
            call("3454.123", "false"),
            call("2.0", "true"),
            call("undefined", "false"),
        ]),
];
