//! IS_DATETIME: whether a string is a date and time.
//!
//! Returns a Boolean for any value. Does not own the accepted formats: see `utc_date_time`.

use super::utc_date_time::UtcDateTime;
use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::DateTime, "IS_DATETIME", |arguments, _| {
        Value::Bool(argument::text(arguments, 0).and_then(UtcDateTime::parse).is_some())
    })
    .required(&["value"])
    .returns(
        ReturnKind::Boolean,
        "Whether a value is the text of a date, alone or with a time, in UTC.",
    )
    .examples(&[
        example("\"2024-12-12\"", "true"),
        example("\"2024-12-12Z\"", "true"),
        example("\"2024-12-12 20:21:25\"", "true"),
        example("\"2024-12-12T20:21:25Z\"", "true"),
        example("\"2024-12-12T20:21:25.123\"", "true"),
        example("\"2024-12-12 20:21:25.123Z\"", "true"),
        example("\"2024-12-12T20Z\"", "false"),
        example("\"2024-12-12 20:21:25.\"", "false"),
        example("1", "false"),
        example("undefined", "false"),
    ])];
