//! Functions on dates and times.
//!
//! Owns the text of a date and time, its parts, and the calendar (through `jiff`). Everything is UTC and counted in
//! 100-nanosecond ticks since 1970. Does not own a clock: the context provides the time.

mod part;
mod utc_date_time;

mod add;
mod bin;
mod convert;
mod current;
mod difference;
mod extract;
mod format;
mod from_parts;
mod is_date_time;

pub use utc_date_time::UtcDateTime;

pub(super) use {
    add::FUNCTIONS as ADD, bin::FUNCTIONS as BIN, convert::FUNCTIONS as CONVERT,
    current::FUNCTIONS as CURRENT, difference::FUNCTIONS as DIFFERENCE,
    extract::FUNCTIONS as EXTRACT, format::FUNCTIONS as FORMAT,
    from_parts::FUNCTIONS as FROM_PARTS, is_date_time::FUNCTIONS as IS_DATE_TIME,
};
