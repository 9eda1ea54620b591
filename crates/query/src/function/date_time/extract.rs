//! DATETIMEPART, YEAR, MONTH and DAY: one part of a date and time.
//!
//! Owns the numbers of parts. Does not own their names: see `part`.

use super::part::DateTimePart;
use super::utc_date_time::UtcDateTime;
use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, IndexUse, ReturnKind, example};

const FAMILY: FunctionFamily = FunctionFamily::DateTime;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FAMILY, "DATETIMEPART", |arguments, _| {
        let part = DateTimePart::from_argument(arguments.first());
        part.and_then(|part| extract(part, argument::text(arguments, 1)?)).into()
    })
    .required(&["part", "date_time"])
    .returns(
        ReturnKind::Integer,
        "The number of one part of a date and time; parts of a second count from the last whole one.",
    )
    .examples(&[
        example("\"yyyy\", \"2016-05-29T08:30:00.1301617\"", "2016"),
        example("\"mm\", \"2016-05-29T08:30:00.1301617\"", "5"),
        example("\"dd\", \"2016-05-29T08:30:00.1301617\"", "29"),
        example("\"hh\", \"2016-05-29T08:30:00.1301617\"", "8"),
        example("\"mi\", \"2016-05-29T08:30:00.1301617\"", "30"),
        example("\"ss\", \"2016-05-29T08:30:00.1301617\"", "0"),
        example("\"ms\", \"2016-05-29T08:30:00.1301617\"", "130"),
        example("\"mcs\", \"2016-05-29T08:30:00.1301617\"", "130161"),
        example("\"ns\", \"2016-05-29T08:30:00.1301617\"", "130161700"),
        example("\"week\", \"2016-05-29T08:30:00.1301617\"", "undefined"),
    ]),
    Function::scalar(FAMILY, "YEAR", |arguments, _| {
        argument::text(arguments, 0).and_then(|text| extract(DateTimePart::Year, text)).into()
    })
    .required(&["date_time"])
    .index_use(IndexUse::Range)
    .returns(ReturnKind::Integer, "The year of a date and time.")
    .examples(&[
        example("\"2000-10-10\"", "2000"),
        example("\"2024-01-10T14:15:20\"", "2024"),
        example("\"1989-03-03T12:12:12.1234567Z\"", "1989"),
        example("2000", "undefined"),
    ]),
    Function::scalar(FAMILY, "MONTH", |arguments, _| {
        argument::text(arguments, 0).and_then(|text| extract(DateTimePart::Month, text)).into()
    })
    .required(&["date_time"])
    .index_use(IndexUse::Range)
    .returns(ReturnKind::Integer, "The month of a date and time, from 1 to 12.")
    .examples(&[example("\"2024-01-10T14:15:20\"", "1"), example("\"2024\"", "undefined")]),
    Function::scalar(FAMILY, "DAY", |arguments, _| {
        argument::text(arguments, 0).and_then(|text| extract(DateTimePart::Day, text)).into()
    })
    .required(&["date_time"])
    .index_use(IndexUse::Range)
    .returns(ReturnKind::Integer, "The day of a date and time in its month.")
    .examples(&[example("\"2024-01-10T14:15:20\"", "10"), example("null", "undefined")]),
];

fn extract(part: DateTimePart, text: &str) -> Option<i64> {
    let date_time = UtcDateTime::parse(text)?;
    let civil = date_time.civil();
    Some(match part {
        DateTimePart::Year => civil.year().into(),
        DateTimePart::Month => civil.month().into(),
        DateTimePart::Day => civil.day().into(),
        DateTimePart::Hour => civil.hour().into(),
        DateTimePart::Minute => civil.minute().into(),
        DateTimePart::Second => civil.second().into(),
        DateTimePart::Millisecond => date_time.fraction() / 10_000,
        DateTimePart::Microsecond => date_time.fraction() / 10,
        DateTimePart::Nanosecond => date_time.fraction() * 100,
    })
}
