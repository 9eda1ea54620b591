//! DATETIMETOTICKS, TICKSTODATETIME, DATETIMETOTIMESTAMP and TIMESTAMPTODATETIME.
//!
//! Owns the conversions between text and numbers since 1970; moments before 1601 have no number.

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
    .returns(ReturnKind::DateTime, "The date and time so many 100-nanosecond ticks after 1970.")
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
    .returns(ReturnKind::DateTime, "The date and time so many milliseconds after 1970.")
    .examples(&[
        example("1594227912345", "\"2020-07-08T17:05:12.3450000Z\""),
        example("\"1\"", "undefined"),
    ]),
];

fn read(arguments: &[Value]) -> Option<UtcDateTime> {
    let moment = argument::text(arguments, 0).and_then(UtcDateTime::parse)?;
    (moment >= UtcDateTime::EARLIEST).then_some(moment)
}

fn print(moment: Option<UtcDateTime>) -> Value {
    moment.filter(|moment| *moment >= UtcDateTime::EARLIEST).map(|moment| moment.to_string()).into()
}
