//! Functions on dates and times.
//!
//! Owns the text of a date and time, its parts, and the calendar (through `jiff`). Everything is UTC and counted in
//! 100-nanosecond ticks since 1970. Does not own a clock: the context provides the time.

mod part;
mod utc_date_time;

pub(super) mod add;
pub(super) mod bin;
pub(super) mod convert;
pub(super) mod current;
pub(super) mod difference;
pub(super) mod extract;
pub(super) mod format;
pub(super) mod from_parts;
pub(super) mod is_date_time;

pub use utc_date_time::UtcDateTime;
