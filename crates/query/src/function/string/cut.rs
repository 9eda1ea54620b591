//! LEFT, RIGHT, SUBSTRING and LENGTH.
//!
//! Owns cutting by position; a cut beyond the text is a cut at its end.

use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, IndexUse, ReturnKind, example};
use crate::value::{Value, utf16};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::String, "LEFT", |arguments, _| {
        text_and_length(arguments, 1).map(|(text, length)| utf16::slice(text, 0, length)).into()
    })
    .required(&["text", "length"])
    .index_use(IndexUse::Range)
    .returns(ReturnKind::String, "The beginning of a text.")
    .examples(&[
        example("\"AdventureWorks\", 0", "\"\""),
        example("\"AdventureWorks\", 9", "\"Adventure\""),
        example("\"AdventureWorks\", 100", "\"AdventureWorks\""),
        example("\"AdventureWorks\", 1.5", "undefined"),
        example("1, 1", "undefined"),
    ]),
    Function::scalar(FunctionFamily::String, "RIGHT", |arguments, _| {
        let right = |(text, length): (&str, usize)| {
            utf16::slice(text, utf16::length(text).saturating_sub(length), length)
        };
        text_and_length(arguments, 1).map(right).into()
    })
    .required(&["text", "length"])
    .index_use(IndexUse::Range)
    .returns(ReturnKind::String, "The end of a text.")
    .examples(&[
        example("\"AdventureWorks\", 0", "\"\""),
        example("\"AdventureWorks\", 5", "\"Works\""),
        example("\"AdventureWorks\", 100", "\"AdventureWorks\""),
    ]),
    Function::scalar(FunctionFamily::String, "SUBSTRING", |arguments, _| {
        let start = argument::integer(arguments, 1).map(clamp);
        let cut =
            |((text, length), start): ((&str, usize), usize)| utf16::slice(text, start, length);
        text_and_length(arguments, 2).zip(start).map(cut).into()
    })
    .required(&["text", "start", "length"])
    .index_use(IndexUse::PreciseScan)
    .returns(
        ReturnKind::String,
        "A part of a text from a place counted from 0; the index serves it when the start is 0.",
    )
    .examples(&[
        example("\"AdventureWorks\", 0, 9", "\"Adventure\""),
        example("\"AdventureWorks\", 9, 5", "\"Works\""),
        example("\"AdventureWorks\", 9, 50", "\"Works\""),
        example("\"AdventureWorks\", 0, -1", "\"\""),
        example("\"AdventureWorks\", 50, 1", "\"\""),
        example("\"AdventureWorks\", 0.5, 1", "undefined"),
    ]),
    Function::scalar(FunctionFamily::String, "LENGTH", |arguments, _| {
        argument::text(arguments, 0).map(|text| utf16::length(text) as i64).into()
    })
    .required(&["text"])
    .returns(ReturnKind::Integer, "How many UTF-16 code units a text has.")
    .examples(&[
        example("\"AdventureWorks\"", "14"),
        example("\"\"", "0"),
        example("\"🚀\"", "2"),
        example("null", "undefined"),
        example("[1]", "undefined"),
    ]),
];

/// The text and the length after it; a negative length is none at all.
fn text_and_length(arguments: &[Value], place: usize) -> Option<(&str, usize)> {
    argument::text(arguments, 0).zip(argument::integer(arguments, place).map(clamp))
}

fn clamp(number: i64) -> usize {
    usize::try_from(number.max(0)).unwrap_or(usize::MAX)
}
