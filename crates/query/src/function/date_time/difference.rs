//! DATETIMEDIFF: the number of boundaries between two points in time.
//!
//! Counts boundaries, not elapsed time: from 23:59 to 00:01 one day boundary is crossed.

use jiff::civil::DateTime;

use super::part::{DateTimePart, PartLength};
use super::utc_date_time::UtcDateTime;
use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::DateTime, "DATETIMEDIFF", |arguments, _| {
        difference(arguments).into()
    })
    .required(&["part", "start", "end"])
    .returns(
        ReturnKind::Integer,
        "How many boundaries of a part are crossed from a start to an end; negative backwards.",
    )
    .examples(&[
        example("\"yyyy\", \"2019-02-04T16:00:00.0000000\", \"2018-03-05T05:00:00.0000000\"", "-1"),
        example("\"mm\", \"2019-02-04T16:00:00.0000000\", \"2018-03-05T05:00:00.0000000\"", "-11"),
        example("\"dd\", \"2019-02-04T16:00:00.0000000\", \"2018-03-05T05:00:00.0000000\"", "-336"),
        example(
            "\"hh\", \"2019-02-04T16:00:00.0000000\", \"2018-03-05T05:00:00.0000000\"",
            "-8075",
        ),
        example(
            "\"ss\", \"2019-02-04T16:00:00.0000000\", \"2018-03-05T05:00:00.0000000\"",
            "-29070000",
        ),
        example("\"yyyy\", \"2018-03-05T05:00:00.0000000\", \"2019-02-04T16:00:00.0000000\"", "1"),
        example("\"mm\", \"2018-03-05T05:00:00.0000000\", \"2019-02-04T16:00:00.0000000\"", "11"),
        example("\"dd\", \"2018-03-05T05:00:00.0000000\", \"2019-02-04T16:00:00.0000000\"", "336"),
        example("\"hh\", \"2018-03-05T05:00:00.0000000\", \"2019-02-04T16:00:00.0000000\"", "8075"),
        example(
            "\"ss\", \"2018-03-05T05:00:00.0000000\", \"2019-02-04T16:00:00.0000000\"",
            "29070000",
        ),
        example("\"ns\", \"2020-01-01T00:00:00.0000000\", \"2020-01-01T00:00:00.0000001\"", "100"),
        example("\"week\", \"2020-01-01\", \"2020-01-02\"", "undefined"),
        example("\"dd\", \"2020-01-01\", \"2020-01-32\"", "undefined"),
    ])];

fn difference(arguments: &[Value]) -> Option<i64> {
    let part = DateTimePart::from_argument(arguments.first())?;
    let start = UtcDateTime::parse(argument::text(arguments, 1)?)?;
    let end = UtcDateTime::parse(argument::text(arguments, 2)?)?;
    match part.length() {
        PartLength::Months(months) => {
            let number = |civil: DateTime| {
                // The number of the month or year, so that the difference counts boundaries.
                (i64::from(civil.year()) * 12 + i64::from(civil.month()) - 1).div_euclid(months)
            };
            Some(number(end.civil()) - number(start.civil()))
        }
        PartLength::Nanoseconds(nanoseconds) => {
            let number = |date_time: UtcDateTime| {
                // Rounded down before the subtraction: that is what counts boundaries instead of elapsed time.
                (i128::from(date_time.ticks()) * 100).div_euclid(nanoseconds)
            };
            i64::try_from(number(end) - number(start)).ok()
        }
    }
}
