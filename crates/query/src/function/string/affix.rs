//! STARTSWITH, ENDSWITH and STRINGEQUALS: text against text, at its ends or as a whole.
//!
//! Owns the flag that ignores case, here and for CONTAINS. Does not own CONTAINS itself.

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
        "Whether a text begins with another; ignoring case makes the index scan an expanded one.",
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
    .returns(ReturnKind::Boolean, "Whether a text ends with another.")
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
        "Whether two texts are the same; ignoring case makes the index seek an expanded scan.",
    )
    .examples(&[
        example("\"abc\", \"abc\"", "true"),
        example("\"abc\", \"ABC\"", "false"),
        example("\"abc\", \"ABC\", true", "true"),
        example("\"abc\", null", "undefined"),
    ]),
];

/// Asks about two texts, without case if the third argument says so; undefined for any other types.
pub(super) fn compare(arguments: &[Value], question: impl Fn(&str, &str) -> bool) -> Option<bool> {
    let (left, right) = argument::text(arguments, 0).zip(argument::text(arguments, 1))?;
    Some(if argument::flag(arguments, 2)? {
        question(&left.to_lowercase(), &right.to_lowercase())
    } else {
        question(left, right)
    })
}
