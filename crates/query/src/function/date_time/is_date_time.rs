//! IS_DATETIME: whether a text is a date and time.
//!
//! Owns the answer for any value. Does not own the accepted texts: see `utc_date_time`.

use super::utc_date_time::UtcDateTime;
use crate::function::argument;
use crate::function::declaration::{Family, Function, ReturnKind, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(Family::DateTime, "IS_DATETIME", |arguments, _| {
        Value::Bool(argument::text(arguments, 0).and_then(UtcDateTime::parse).is_some())
    })
    .takes(&["value"])
    .gives(
        ReturnKind::Boolean,
        "Whether a value is the text of a date, alone or with a time, in UTC.",
    )
    .examples(&[
        call("\"2024-12-12\"", "true"),
        call("\"2024-12-12Z\"", "true"),
        call("\"2024-12-12 20:21:25\"", "true"),
        call("\"2024-12-12T20:21:25Z\"", "true"),
        call("\"2024-12-12T20:21:25.123\"", "true"),
        call("\"2024-12-12 20:21:25.123Z\"", "true"),
        call("\"2024-12-12T20Z\"", "false"),
        call("\"2024-12-12 20:21:25.\"", "false"),
        call("1", "false"),
        call("undefined", "false"),
    ])];
