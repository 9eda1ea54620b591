//! INDEX_OF and LASTINDEXOF: the position of a substring.
//!
//! Owns positions and the direction of the search. Does not own CONTAINS: see `contains`.

use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::{Value, utf16};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::String, "INDEX_OF", |arguments, _| first(arguments).into())
        .required(&["text", "part"])
        .optional(&["start"])
        .returns(
            ReturnKind::Integer,
            "The position of the first occurrence at or after a start, counted from 0; -1 for none.",
        )
        .examples(&[
            example("\"AdventureWorks\", \"A\"", "0"),
            example("\"AdventureWorks\", \"s\"", "13"),
            example("\"AdventureWorks\", \"tureW\"", "5"),
            example("\"AdventureWorks\", \"Cosmos\"", "-1"),
            example("\"AdventureWorks\", \"Works\", 5", "9"),
            example("\"AdventureWorks\", \"Adventure\", 5", "-1"),
            example("\"AdventureWorks\", \"aD\"", "-1"),
            example("\"a\", \"a\", 0.5", "undefined"),
        ]),
    Function::scalar(FunctionFamily::String, "LASTINDEXOF", |arguments, _| last(arguments).into())
        .required(&["text", "part"])
        .optional(&["start"])
        .returns(
            ReturnKind::Integer,
            "The position of the last occurrence that ends at or before a start, counted from 0; -1 \
             for none.",
        )
        .examples(&[
            example("\"abcdeabc\", \"abc\"", "5"),
            example("\"abcdeabc\", \"abc\", 6", "0"),
            example("\"abcdeabc\", \"abc\", 7", "5"),
            example("\"abcdeabc\", \"fg\"", "-1"),
        ]),
];

fn first(arguments: &[Value]) -> Option<i64> {
    let (text, part) = argument::text(arguments, 0).zip(argument::text(arguments, 1))?;
    // A negative start means the beginning.
    let start = argument::integer_or(arguments, 2, 0)?.max(0);
    Some(position(utf16::find(text, part, usize::try_from(start).unwrap_or(usize::MAX))))
}

fn last(arguments: &[Value]) -> Option<i64> {
    let (text, part) = argument::text(arguments, 0).zip(argument::text(arguments, 1))?;
    let start = argument::integer_or(arguments, 2, i64::MAX)?;
    if start < 0 {
        return Some(-1);
    }
    // The start is the last position that may belong to the match, so the match ends before the next one.
    let end = usize::try_from(start).unwrap_or(usize::MAX).saturating_add(1);
    Some(position(utf16::find_last(text, part, end)))
}

fn position(found: Option<usize>) -> i64 {
    found.and_then(|position| i64::try_from(position).ok()).unwrap_or(-1)
}
