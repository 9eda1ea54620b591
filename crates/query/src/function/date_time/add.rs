//! DATETIMEADD, NOW and AGO: date arithmetic.
//!
//! Owns the three functions. Does not own the calendar: see `part`.

use super::part::{self, DateTimePart};
use super::utc_date_time::UtcDateTime;
use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::DateTime, "DATETIMEADD", |arguments, _| {
        let date_time = argument::text(arguments, 2).and_then(UtcDateTime::parse);
        date_time.and_then(|date_time| shift(date_time, arguments, 1)).into()
    })
    .required(&["part", "number", "date_time"])
    .returns(
        ReturnKind::DateTime,
        "Adds a number of parts to a date and time; a negative number subtracts.",
    )
    .examples(&[
        example("\"yyyy\", 1, \"2020-07-03T00:00:00.0000000\"", "\"2021-07-03T00:00:00.0000000Z\""),
        example("\"mm\", 1, \"2020-07-03T00:00:00.0000000\"", "\"2020-08-03T00:00:00.0000000Z\""),
        example("\"dd\", 1, \"2020-07-03T00:00:00.0000000\"", "\"2020-07-04T00:00:00.0000000Z\""),
        example("\"hh\", 1, \"2020-07-03T00:00:00.0000000\"", "\"2020-07-03T01:00:00.0000000Z\""),
        example(
            "\"yyyy\", -1, \"2020-07-03T00:00:00.0000000\"",
            "\"2019-07-03T00:00:00.0000000Z\"",
        ),
        example("\"mm\", -1, \"2020-07-03T00:00:00.0000000\"", "\"2020-06-03T00:00:00.0000000Z\""),
        example("\"dd\", -1, \"2020-07-03T00:00:00.0000000\"", "\"2020-07-02T00:00:00.0000000Z\""),
        example("\"hh\", -1, \"2020-07-03T00:00:00.0000000\"", "\"2020-07-02T23:00:00.0000000Z\""),
        example("\"ss\", -25, \"2020-07-03T00:00:00.0000000\"", "\"2020-07-02T23:59:35.0000000Z\""),
        example("\"dd\", 0.5, \"2020-07-03\"", "undefined"),
        example("\"week\", 1, \"2020-07-03\"", "undefined"),
        example("\"dd\", 1, \"yesterday\"", "undefined"),
    ]),
    Function::scalar(FunctionFamily::DateTime, "NOW", |arguments, context| match arguments {
        [] => context.now.to_string().into(),
        [_, _] => shift(context.now, arguments, 1).into(),
        _ => Value::Undefined,
    })
    .optional(&["part", "number"])
    .returns(ReturnKind::DateTime, "The current date and time, plus a number of parts if given.")
    .examples(&[
        example("", "\"2024-10-14T14:20:30.6668888Z\""),
        example("\"yyyy\", 1", "\"2025-10-14T14:20:30.6668888Z\""),
        example("\"yyyy\", -1", "\"2023-10-14T14:20:30.6668888Z\""),
        example("\"ss\", 30", "\"2024-10-14T14:21:00.6668888Z\""),
        example("\"ms\", 4", "\"2024-10-14T14:20:30.6708888Z\""),
        example("\"ms\"", "undefined"),
    ]),
    Function::scalar(FunctionFamily::DateTime, "AGO", |arguments, context| {
        shift(context.now, arguments, -1).into()
    })
    .required(&["part", "number"])
    .returns(ReturnKind::DateTime, "The current date and time minus a number of parts.")
    .examples(&[
        example("\"yyyy\", 1", "\"2023-10-14T14:20:30.6668888Z\""),
        example("\"yyyy\", -1", "\"2025-10-14T14:20:30.6668888Z\""),
        example("\"ss\", 30", "\"2024-10-14T14:20:00.6668888Z\""),
        example("\"ms\", 4", "\"2024-10-14T14:20:30.6628888Z\""),
        example("\"ms\", \"4\"", "undefined"),
    ]),
];

/// Moves a date and time by the part and number of a call, forward or backward.
fn shift(date_time: UtcDateTime, arguments: &[Value], direction: i64) -> Option<String> {
    let number = argument::integer(arguments, 1)?.checked_mul(direction)?;
    let part = DateTimePart::from_argument(arguments.first())?;
    part::add(date_time, part, number).map(|date_time| date_time.to_string())
}
