//! DATETIMEDIFF: how many boundaries lie between two moments.
//!
//! Owns the count of boundaries, which is not the length of the time between.

use jiff::civil::DateTime;

use super::part::{Length, Part};
use super::utc_date_time::UtcDateTime;
use crate::function::argument;
use crate::function::declaration::{Family, Function, ReturnKind, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(Family::DateTime, "DATETIMEDIFF", |arguments, _| {
        difference(arguments).into()
    })
    .takes(&["part", "start", "end"])
    .gives(
        ReturnKind::Integer,
        "How many boundaries of a part are crossed from a start to an end; negative backwards.",
    )
    .examples(&[
        call("\"yyyy\", \"2019-02-04T16:00:00.0000000\", \"2018-03-05T05:00:00.0000000\"", "-1"),
        call("\"mm\", \"2019-02-04T16:00:00.0000000\", \"2018-03-05T05:00:00.0000000\"", "-11"),
        call("\"dd\", \"2019-02-04T16:00:00.0000000\", \"2018-03-05T05:00:00.0000000\"", "-336"),
        call("\"hh\", \"2019-02-04T16:00:00.0000000\", \"2018-03-05T05:00:00.0000000\"", "-8075"),
        call(
            "\"ss\", \"2019-02-04T16:00:00.0000000\", \"2018-03-05T05:00:00.0000000\"",
            "-29070000",
        ),
        call("\"yyyy\", \"2018-03-05T05:00:00.0000000\", \"2019-02-04T16:00:00.0000000\"", "1"),
        call("\"mm\", \"2018-03-05T05:00:00.0000000\", \"2019-02-04T16:00:00.0000000\"", "11"),
        call("\"dd\", \"2018-03-05T05:00:00.0000000\", \"2019-02-04T16:00:00.0000000\"", "336"),
        call("\"hh\", \"2018-03-05T05:00:00.0000000\", \"2019-02-04T16:00:00.0000000\"", "8075"),
        call(
            "\"ss\", \"2018-03-05T05:00:00.0000000\", \"2019-02-04T16:00:00.0000000\"",
            "29070000",
        ),
        call("\"ns\", \"2020-01-01T00:00:00.0000000\", \"2020-01-01T00:00:00.0000001\"", "100"),
        call("\"week\", \"2020-01-01\", \"2020-01-02\"", "undefined"),
        call("\"dd\", \"2020-01-01\", \"2020-01-32\"", "undefined"),
    ])];

fn difference(arguments: &[Value]) -> Option<i64> {
    let part = Part::from_argument(arguments.first())?;
    let start = UtcDateTime::parse(argument::text(arguments, 1)?)?;
    let end = UtcDateTime::parse(argument::text(arguments, 2)?)?;
    match part.length() {
        Length::Months(months) => {
            let number = |civil: DateTime| {
                (i64::from(civil.year()) * 12 + i64::from(civil.month()) - 1).div_euclid(months)
            };
            Some(number(end.civil()) - number(start.civil()))
        }
        Length::Nanoseconds(nanoseconds) => {
            let number =
                |moment: UtcDateTime| (i128::from(moment.ticks()) * 100).div_euclid(nanoseconds);
            i64::try_from(number(end) - number(start)).ok()
        }
    }
}
