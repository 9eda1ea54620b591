//! DATETIMEPART, YEAR, MONTH and DAY: one part of a moment.
//!
//! Owns the numbers of parts. Does not own their names: see `part`.

use super::part::Part;
use super::utc_date_time::UtcDateTime;
use crate::function::argument;
use crate::function::declaration::{Family, Function, IndexUse, ReturnKind, call};

const FAMILY: Family = Family::DateTime;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FAMILY, "DATETIMEPART", |arguments, _| {
        let part = Part::from_argument(arguments.first());
        part.and_then(|part| extract(part, argument::text(arguments, 1)?)).into()
    })
    .takes(&["part", "date_time"])
    .gives(
        ReturnKind::Integer,
        "The number of one part of a date and time; parts of a second count from the last whole one.",
    )
    .examples(&[
        call("\"yyyy\", \"2016-05-29T08:30:00.1301617\"", "2016"),
        call("\"mm\", \"2016-05-29T08:30:00.1301617\"", "5"),
        call("\"dd\", \"2016-05-29T08:30:00.1301617\"", "29"),
        call("\"hh\", \"2016-05-29T08:30:00.1301617\"", "8"),
        call("\"mi\", \"2016-05-29T08:30:00.1301617\"", "30"),
        call("\"ss\", \"2016-05-29T08:30:00.1301617\"", "0"),
        call("\"ms\", \"2016-05-29T08:30:00.1301617\"", "130"),
        call("\"mcs\", \"2016-05-29T08:30:00.1301617\"", "130161"),
        call("\"ns\", \"2016-05-29T08:30:00.1301617\"", "130161700"),
        call("\"week\", \"2016-05-29T08:30:00.1301617\"", "undefined"),
    ]),
    Function::scalar(FAMILY, "YEAR", |arguments, _| {
        argument::text(arguments, 0).and_then(|text| extract(Part::Year, text)).into()
    })
    .takes(&["date_time"])
    .uses(IndexUse::Range)
    .gives(ReturnKind::Integer, "The year of a date and time.")
    .examples(&[
        call("\"2000-10-10\"", "2000"),
        call("\"2024-01-10T14:15:20\"", "2024"),
        call("\"1989-03-03T12:12:12.1234567Z\"", "1989"),
        call("2000", "undefined"),
    ]),
    Function::scalar(FAMILY, "MONTH", |arguments, _| {
        argument::text(arguments, 0).and_then(|text| extract(Part::Month, text)).into()
    })
    .takes(&["date_time"])
    .uses(IndexUse::Range)
    .gives(ReturnKind::Integer, "The month of a date and time, from 1 to 12.")
    .examples(&[call("\"2024-01-10T14:15:20\"", "1"), call("\"2024\"", "undefined")]),
    Function::scalar(FAMILY, "DAY", |arguments, _| {
        argument::text(arguments, 0).and_then(|text| extract(Part::Day, text)).into()
    })
    .takes(&["date_time"])
    .uses(IndexUse::Range)
    .gives(ReturnKind::Integer, "The day of a date and time in its month.")
    .examples(&[call("\"2024-01-10T14:15:20\"", "10"), call("null", "undefined")]),
];

fn extract(part: Part, text: &str) -> Option<i64> {
    let moment = UtcDateTime::parse(text)?;
    let civil = moment.civil();
    Some(match part {
        Part::Year => civil.year().into(),
        Part::Month => civil.month().into(),
        Part::Day => civil.day().into(),
        Part::Hour => civil.hour().into(),
        Part::Minute => civil.minute().into(),
        Part::Second => civil.second().into(),
        Part::Millisecond => moment.fraction() / 10_000,
        Part::Microsecond => moment.fraction() / 10,
        Part::Nanosecond => moment.fraction() * 100,
    })
}
