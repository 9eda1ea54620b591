//! STARTSWITH, ENDSWITH and STRINGEQUALS.
//!
//! Owns the `ignore_case` flag, here and for CONTAINS. Does not own CONTAINS itself.

use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, IndexUse, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::String, "STARTSWITH", |arguments, _| {
        compare(arguments, |text, start| text.starts_with(start)).into()
    })
    .required(&["text", "start"])
    .optional(&["ignore_case"])
    .index_use(IndexUse::PreciseScan)
    .returns(
        ReturnKind::Boolean,
        "Whether a string starts with another; ignoring case makes the index scan an expanded one.",
    )
    .examples(&[
        example("\"AdventureWorks\", \"Adv\"", "true"),
        example("\"AdventureWorks\", \"adv\"", "false"),
        example("\"AdventureWorks\", \"adv\", true", "true"),
        example("\"AdventureWorks\", \"\"", "true"),
        example("\"AdventureWorks\", 1", "undefined"),
    ]),
    Function::scalar(FunctionFamily::String, "ENDSWITH", |arguments, _| {
        compare(arguments, |text, end| text.ends_with(end)).into()
    })
    .required(&["text", "end"])
    .optional(&["ignore_case"])
    .index_use(IndexUse::FullScan)
    .returns(ReturnKind::Boolean, "Whether a string ends with another.")
    .examples(&[
        example("\"AdventureWorks\", \"Works\"", "true"),
        example("\"AdventureWorks\", \"works\"", "false"),
        example("\"AdventureWorks\", \"works\", true", "true"),
        example("null, \"a\"", "undefined"),
    ]),
    Function::scalar(FunctionFamily::String, "STRINGEQUALS", |arguments, _| {
        compare(arguments, |left, right| left == right).into()
    })
    .aliases(&["STRING_EQUALS"])
    .required(&["left", "right"])
    .optional(&["ignore_case"])
    .index_use(IndexUse::Seek)
    .returns(
        ReturnKind::Boolean,
        "Whether two strings are equal; ignoring case makes the index seek an expanded scan.",
    )
    .examples(&[
        example("\"abc\", \"abc\"", "true"),
        example("\"abc\", \"ABC\"", "false"),
        example("\"abc\", \"ABC\", true", "true"),
        example("\"abc\", null", "undefined"),
    ]),
];

/// Compares two strings, ignoring case if the third argument is true; `None` for any other types.
pub(super) fn compare(
    arguments: &[Value],
    compare_strings: impl Fn(&str, &str) -> bool,
) -> Option<bool> {
    let (left, right) = argument::text(arguments, 0).zip(argument::text(arguments, 1))?;
    Some(if argument::flag(arguments, 2)? {
        // The full Unicode mapping, as LOWER uses it. It may change the length of a string.
        compare_strings(&left.to_lowercase(), &right.to_lowercase())
    } else {
        compare_strings(left, right)
    })
}
