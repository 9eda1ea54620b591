//! DATETIMEFROMPARTS: a date and time from its parts.
//!
//! Owns the order of the parts. Does not own which dates exist: see `utc_date_time`.

use super::utc_date_time::UtcDateTime;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[Function::scalar(
    FunctionFamily::DateTime,
    "DATETIMEFROMPARTS",
    |arguments, _| {
        fields(arguments)
            .and_then(UtcDateTime::from_fields)
            .map(|date_time| date_time.to_string())
            .into()
    },
)
.required(&["year", "month", "day"])
.optional(&["hour", "minute", "second", "fraction"])
.returns(
    ReturnKind::DateTime,
    "The date and time of these parts, the fraction in 100 nanoseconds; undefined when there is \
         no such date or time.",
)
.examples(&[
    example("2017, 4, 20", "\"2017-04-20T00:00:00.0000000Z\""),
    example("2017, 4, 20, 0, 0, 0, 0", "\"2017-04-20T00:00:00.0000000Z\""),
    example("2017, 4, 20, 13, 15, 20, 3456789", "\"2017-04-20T13:15:20.3456789Z\""),
    example("2017, 4, 20, 13, 15", "\"2017-04-20T13:15:00.0000000Z\""),
    example("-2000, -1, -1", "undefined"),
    example("2017, 2, 29", "undefined"),
    example("2017, 4.5, 1", "undefined"),
])];

/// The parts in order; missing ones are zero.
fn fields(arguments: &[Value]) -> Option<[i64; 7]> {
    let mut fields = [0; 7];
    for (field, argument) in fields.iter_mut().zip(arguments) {
        // `zip` stops at the seventh; the binder has limited the number of arguments.
        *field = argument.as_i64()?;
    }
    Some(fields)
}
