//! LEFT, RIGHT, SUBSTRING and LENGTH.
//!
//! Owns cutting by position; a cut beyond the text is a cut at its end.

use crate::function::argument;
use crate::function::declaration::{Family, Function, IndexUse, ReturnKind, call};
use crate::value::{Value, utf16};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(Family::String, "LEFT", |arguments, _| {
        text_and_length(arguments, 1).map(|(text, length)| utf16::slice(text, 0, length)).into()
    })
    .takes(&["text", "length"])
    .uses(IndexUse::Range)
    .gives(ReturnKind::String, "The beginning of a text.")
    .examples(&[
        call("\"AdventureWorks\", 0", "\"\""),
        call("\"AdventureWorks\", 9", "\"Adventure\""),
        call("\"AdventureWorks\", 100", "\"AdventureWorks\""),
        call("\"AdventureWorks\", 1.5", "undefined"),
        call("1, 1", "undefined"),
    ]),
    Function::scalar(Family::String, "RIGHT", |arguments, _| {
        let right = |(text, length): (&str, usize)| {
            utf16::slice(text, utf16::length(text).saturating_sub(length), length)
        };
        text_and_length(arguments, 1).map(right).into()
    })
    .takes(&["text", "length"])
    .uses(IndexUse::Range)
    .gives(ReturnKind::String, "The end of a text.")
    .examples(&[
        call("\"AdventureWorks\", 0", "\"\""),
        call("\"AdventureWorks\", 5", "\"Works\""),
        call("\"AdventureWorks\", 100", "\"AdventureWorks\""),
    ]),
    Function::scalar(Family::String, "SUBSTRING", |arguments, _| {
        let start = argument::integer(arguments, 1).map(clamp);
        let cut =
            |((text, length), start): ((&str, usize), usize)| utf16::slice(text, start, length);
        text_and_length(arguments, 2).zip(start).map(cut).into()
    })
    .takes(&["text", "start", "length"])
    .uses(IndexUse::PreciseScan)
    .gives(
        ReturnKind::String,
        "A part of a text from a place counted from 0; the index serves it when the start is 0.",
    )
    .examples(&[
        call("\"AdventureWorks\", 0, 9", "\"Adventure\""),
        call("\"AdventureWorks\", 9, 5", "\"Works\""),
        call("\"AdventureWorks\", 9, 50", "\"Works\""),
        call("\"AdventureWorks\", 0, -1", "\"\""),
        call("\"AdventureWorks\", 50, 1", "\"\""),
        call("\"AdventureWorks\", 0.5, 1", "undefined"),
    ]),
    Function::scalar(Family::String, "LENGTH", |arguments, _| {
        argument::text(arguments, 0).map(|text| utf16::length(text) as i64).into()
    })
    .takes(&["text"])
    .gives(ReturnKind::Integer, "How many UTF-16 code units a text has.")
    .examples(&[
        call("\"AdventureWorks\"", "14"),
        call("\"\"", "0"),
        call("\"🚀\"", "2"),
        call("null", "undefined"),
        call("[1]", "undefined"),
    ]),
];

/// The text and the length after it; a negative length is none at all.
fn text_and_length(arguments: &[Value], place: usize) -> Option<(&str, usize)> {
    argument::text(arguments, 0).zip(argument::integer(arguments, place).map(clamp))
}

fn clamp(number: i64) -> usize {
    usize::try_from(number.max(0)).unwrap_or(usize::MAX)
}
