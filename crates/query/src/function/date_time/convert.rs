//! DATETIMETOTICKS, TICKSTODATETIME, DATETIMETOTIMESTAMP and TIMESTAMPTODATETIME.
//!
//! Owns the conversions between text and numbers since 1970. Dates before 1601 are undefined.

use super::utc_date_time::UtcDateTime;
use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::DateTime, "DATETIMETOTICKS", |arguments, _| {
        read(arguments).map(UtcDateTime::ticks).into()
    })
    .required(&["date_time"])
    .returns(ReturnKind::Integer, "The 100-nanosecond ticks since 1970 of a date and time.")
    .examples(&[
        example("\"2015-05-19T12:00:00.0000000Z\"", "14320368000000000"),
        example("\"1969-12-31\"", "-864000000000"),
        example("\"today\"", "undefined"),
    ]),
    Function::scalar(FunctionFamily::DateTime, "TICKSTODATETIME", |arguments, _| {
        print(argument::integer(arguments, 0).and_then(UtcDateTime::from_ticks))
    })
    .required(&["ticks"])
    .returns(
        ReturnKind::DateTime,
        "The date and time of a number of 100-nanosecond ticks since 1970.",
    )
    .examples(&[
        example("15943368134575530", "\"2020-07-09T23:20:13.4575530Z\""),
        example("0", "\"1970-01-01T00:00:00.0000000Z\""),
        example("0.5", "undefined"),
        example("9223372036854775807", "undefined"),
    ]),
    Function::scalar(FunctionFamily::DateTime, "DATETIMETOTIMESTAMP", |arguments, _| {
        read(arguments).map(UtcDateTime::milliseconds).into()
    })
    .required(&["date_time"])
    .returns(ReturnKind::Integer, "The whole milliseconds since 1970 of a date and time.")
    .examples(&[
        example("\"2015-05-19T12:00:00.0000000Z\"", "1432036800000"),
        example("\"2015-05-19\"", "1431993600000"),
        example("1", "undefined"),
    ]),
    Function::scalar(FunctionFamily::DateTime, "TIMESTAMPTODATETIME", |arguments, _| {
        print(argument::integer(arguments, 0).and_then(UtcDateTime::from_milliseconds))
    })
    .required(&["timestamp"])
    .returns(ReturnKind::DateTime, "The date and time of a number of milliseconds since 1970.")
    .examples(&[
        example("1594227912345", "\"2020-07-08T17:05:12.3450000Z\""),
        example("\"1\"", "undefined"),
    ]),
];

fn read(arguments: &[Value]) -> Option<UtcDateTime> {
    let date_time = argument::text(arguments, 0).and_then(UtcDateTime::parse)?;
    (date_time >= UtcDateTime::EARLIEST).then_some(date_time)
}

fn print(date_time: Option<UtcDateTime>) -> Value {
    date_time
        .filter(|date_time| *date_time >= UtcDateTime::EARLIEST)
        .map(|date_time| date_time.to_string())
        .into()
}
