//! REPLICATE and REVERSE.
//!
//! Owns the limit on how long a repeated text may get.

use crate::function::argument;
use crate::function::declaration::{Family, Function, ReturnKind, call};
use crate::value::{Value, utf16};

/// UTF-16 code units REPLICATE may produce.
const REPLICATED_UNITS_MAX: usize = 10_000;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(Family::String, "REPLICATE", |arguments, _| replicate(arguments).into())
        .takes(&["text", "times"])
        .gives(
            ReturnKind::String,
            "A text several times over; undefined when it would exceed 10,000 characters.",
        )
        .examples(&[
            call("\"a\", 3", "\"aaa\""),
            call("\"ab\", 0", "\"\""),
            call("\"a\", -1", "undefined"),
            call("\"a\", 10001", "undefined"),
            call("1, 3", "undefined"),
        ]),
    Function::scalar(Family::String, "REVERSE", |arguments, _| {
        argument::text(arguments, 0).map(|text| text.chars().rev().collect::<String>()).into()
    })
    .takes(&["text"])
    .gives(ReturnKind::String, "The characters of a text from last to first.")
    .examples(&[call("\"AdventureWorks\"", "\"skroWerutnevdA\""), call("1", "undefined")]),
];

fn replicate(arguments: &[Value]) -> Option<String> {
    let text = argument::text(arguments, 0)?;
    let times = usize::try_from(argument::integer(arguments, 1)?).ok()?;
    let units = utf16::length(text).checked_mul(times)?;
    (units <= REPLICATED_UNITS_MAX)
        .then(|| if text.is_empty() { String::new() } else { text.repeat(times) })
}
