//! DATETIMEBIN: rounding down to the start of a bin.
//!
//! Owns bins of time, which have a fixed length or a number of months. Does not own bins of numbers: see NUMBERBIN.

use jiff::civil::DateTime;

use super::part::{self, DateTimePart, PartLength};
use super::utc_date_time::UtcDateTime;
use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::DateTime, "DATETIMEBIN", |arguments, _| {
        bin(arguments).map(|date_time| date_time.to_string()).into()
    })
    .required(&["date_time", "part"])
    .optional(&["size", "origin"])
    .returns(
        ReturnKind::DateTime,
        "The start of the bin a date and time falls into: bins are so many parts long (1 unless \
         given) and counted from an origin (1970 unless given, 1601 at the earliest).",
    )
    .examples(&[
        example("\"2021-01-08T18:35:00.0000000\", \"dd\"", "\"2021-01-08T00:00:00.0000000Z\""),
        example("\"2021-01-08T18:35:00.0000000\", \"hh\"", "\"2021-01-08T18:00:00.0000000Z\""),
        example("\"2021-01-08T18:35:00.0000000\", \"ss\"", "\"2021-01-08T18:35:00.0000000Z\""),
        example("\"2021-01-08T18:35:00.0000000\", \"hh\", 5", "\"2021-01-08T15:00:00.0000000Z\""),
        example("\"2021-01-08T18:35:00.0000000\", \"dd\", 7", "\"2021-01-07T00:00:00.0000000Z\""),
        example(
            "\"2021-01-08T18:35:00.0000000\", \"dd\", 7, \"1601-01-01T00:00:00.0000000\"",
            "\"2021-01-04T00:00:00.0000000Z\"",
        ),
        example("\"2021-08-08T18:35:00\", \"mm\", 3", "\"2021-07-01T00:00:00.0000000Z\""),
        example("\"2021-08-08T18:35:00\", \"yyyy\", 10", "\"2020-01-01T00:00:00.0000000Z\""),
        example("\"2021-01-08\", \"dd\", 0", "undefined"),
        example("\"2021-01-08\", \"dd\", 1.5", "undefined"),
        example("\"2021-01-08\", \"dd\", 1, \"1600-12-31\"", "undefined"),
        example("\"2021-01-08\", \"week\"", "undefined"),
    ])];

fn bin(arguments: &[Value]) -> Option<UtcDateTime> {
    let date_time = UtcDateTime::parse(argument::text(arguments, 0)?)?;
    let part = DateTimePart::from_argument(arguments.get(1))?;
    let size = argument::integer_or(arguments, 2, 1).filter(|size| *size > 0)?;
    let origin = match arguments.get(3) {
        Some(origin) => UtcDateTime::parse(origin.as_str()?)?,
        None => UtcDateTime::EPOCH,
    };
    if origin < UtcDateTime::EARLIEST {
        return None;
    }
    match part.length() {
        PartLength::Nanoseconds(nanoseconds) => {
            let bin = i128::from(size) * nanoseconds;
            // In nanoseconds, because a bin may be shorter than a tick. Times between the years 1 and 9999 cannot
            // overflow the difference.
            let since_origin = i128::from(date_time.ticks() - origin.ticks()) * 100;
            // `div_euclid` rounds down also before the origin; a plain division would round towards it.
            let start = i128::from(origin.ticks()) * 100 + since_origin.div_euclid(bin) * bin;
            UtcDateTime::from_ticks(i64::try_from(start.div_euclid(100)).ok()?)
        }
        PartLength::Months(months) => {
            let bin = months.checked_mul(size)?;
            let between = month_number(date_time.civil()) - month_number(origin.civil());
            let start = between.div_euclid(bin) * bin;
            let bin_start = part::add(origin, DateTimePart::Month, start)?;
            // Months are counted without days, so the result may be one bin too late if the origin is late in its
            // month.
            if bin_start <= date_time {
                return Some(bin_start);
            }
            part::add(origin, DateTimePart::Month, start - bin)
        }
    }
}

/// Months since the year 0.
fn month_number(civil: DateTime) -> i64 {
    i64::from(civil.year()) * 12 + i64::from(civil.month()) - 1
}
