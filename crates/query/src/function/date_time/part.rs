//! The parts of a date and time.
//!
//! Owns their names, their length, and adding them to a time. Does not own the functions.

use jiff::ToSpan;

use super::utc_date_time::{TICKS_PER_DAY, TICKS_PER_MILLISECOND, UtcDateTime};
use crate::value::Value;

/// A part of a date and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DateTimePart {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
}

/// The length of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartLength {
    /// A number of calendar months.
    Months(i64),
    /// A number of nanoseconds.
    Nanoseconds(i128),
}

impl DateTimePart {
    /// The part that an argument names, in any case.
    pub(super) fn from_argument(argument: Option<&Value>) -> Option<Self> {
        Some(match argument?.as_str()?.to_ascii_lowercase().as_str() {
            "year" | "yyyy" | "yy" => Self::Year,
            // Not minutes, unlike in a format: those are `mi` and `n`.
            "month" | "mm" | "m" => Self::Month,
            "day" | "dd" | "d" => Self::Day,
            "hour" | "hh" => Self::Hour,
            "minute" | "mi" | "n" => Self::Minute,
            "second" | "ss" | "s" => Self::Second,
            "millisecond" | "ms" => Self::Millisecond,
            "microsecond" | "mcs" => Self::Microsecond,
            "nanosecond" | "ns" => Self::Nanosecond,
            _ => return None,
        })
    }

    /// Its length.
    pub(super) fn length(self) -> PartLength {
        const TICK: i128 = 100;
        let nanoseconds = match self {
            Self::Year => return PartLength::Months(12),
            Self::Month => return PartLength::Months(1),
            Self::Day => i128::from(TICKS_PER_DAY) * TICK,
            Self::Hour => i128::from(TICKS_PER_DAY / 24) * TICK,
            Self::Minute => i128::from(TICKS_PER_DAY / (24 * 60)) * TICK,
            Self::Second => i128::from(TICKS_PER_DAY / (24 * 60 * 60)) * TICK,
            Self::Millisecond => i128::from(TICKS_PER_MILLISECOND) * TICK,
            Self::Microsecond => 1000,
            Self::Nanosecond => 1,
        };
        PartLength::Nanoseconds(nanoseconds)
    }
}

/// Adds a number of parts to a time; `None` outside the calendar. A day that the month lacks becomes its last day;
/// nanoseconds below a tick are dropped.
pub(super) fn add(date_time: UtcDateTime, part: DateTimePart, number: i64) -> Option<UtcDateTime> {
    match part.length() {
        PartLength::Months(months) => {
            let months = number.checked_mul(months)?;
            let span = 0.seconds().try_months(months).ok()?;
            UtcDateTime::from_civil(date_time.civil().checked_add(span).ok()?)
        }
        PartLength::Nanoseconds(nanoseconds) => {
            // In 128 bits: the largest number of days exceeds 64 bits in nanoseconds.
            let ticks = i128::from(number) * nanoseconds / 100;
            UtcDateTime::from_ticks(date_time.ticks().checked_add(i64::try_from(ticks).ok()?)?)
        }
    }
}
