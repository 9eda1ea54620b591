//! LEFT, RIGHT, SUBSTRING and LENGTH.
//!
//! Owns slicing by position; a position beyond the string counts as its end.

use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, IndexUse, ReturnKind, example};
use crate::value::{Value, utf16};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::String, "LEFT", |arguments, context| {
        text_and_length(arguments, 1, context)
            .map(|(text, length)| utf16::slice(text, 0, length))
            .into()
    })
    .required(&["text", "length"])
    .index_use(IndexUse::Range)
    .returns(ReturnKind::String, "The start of a string.")
    .examples(&[
        example("\"AdventureWorks\", 0", "\"\""),
        example("\"AdventureWorks\", 9", "\"Adventure\""),
        example("\"AdventureWorks\", 100", "\"AdventureWorks\""),
        example("\"AdventureWorks\", 1.5", "undefined"),
        example("1, 1", "undefined"),
    ]),
    Function::scalar(FunctionFamily::String, "RIGHT", |arguments, context| {
        let right = |(text, length): (&str, usize)| {
            utf16::slice(text, utf16::length(text).saturating_sub(length), length)
        };
        text_and_length(arguments, 1, context).map(right).into()
    })
    .required(&["text", "length"])
    .index_use(IndexUse::Range)
    .returns(ReturnKind::String, "The end of a string.")
    .examples(&[
        example("\"AdventureWorks\", 0", "\"\""),
        example("\"AdventureWorks\", 5", "\"Works\""),
        example("\"AdventureWorks\", 100", "\"AdventureWorks\""),
    ]),
    Function::scalar(FunctionFamily::String, "SUBSTRING", |arguments, context| {
        let start = argument::integer(arguments, 1).map(clamp);
        let cut =
            |((text, length), start): ((&str, usize), usize)| utf16::slice(text, start, length);
        text_and_length(arguments, 2, context).zip(start).map(cut).into()
    })
    .required(&["text", "start", "length"])
    .index_use(IndexUse::PreciseScan)
    .returns(
        ReturnKind::String,
        "A substring from a position counted from 0; an index serves it if the start is 0.",
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
    .returns(ReturnKind::Integer, "The number of UTF-16 code units of a string.")
    .examples(&[
        example("\"AdventureWorks\"", "14"),
        example("\"\"", "0"),
        example("\"🚀\"", "2"),
        example("null", "undefined"),
        example("[1]", "undefined"),
    ]),
];

/// The string and the length at an index; a negative length counts as zero. Counts the part that is about to be copied.
fn text_and_length<'call>(
    arguments: &'call [Value],
    index: usize,
    context: &CallContext<'_>,
) -> Option<(&'call str, usize)> {
    /// The most bytes of one UTF-16 code unit.
    const UNIT_BYTES_MAX: usize = 3;
    let text = argument::text(arguments, 0)?;
    let length = argument::integer(arguments, index).map(clamp)?;
    context.budget.build(length.saturating_mul(UNIT_BYTES_MAX).min(text.len()))?;
    Some((text, length))
}

fn clamp(number: i64) -> usize {
    usize::try_from(number.max(0)).unwrap_or(usize::MAX)
}
