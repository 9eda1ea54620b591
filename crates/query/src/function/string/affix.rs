//! STARTSWITH, ENDSWITH and STRINGEQUALS: text against text, at its ends or as a whole.
//!
//! Owns the flag that ignores case, here and for CONTAINS. Does not own CONTAINS itself.

use crate::function::argument;
use crate::function::declaration::{Family, Function, IndexUse, ReturnKind, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(Family::String, "STARTSWITH", |arguments, _| {
        compare(arguments, |text, start| text.starts_with(start)).into()
    })
    .takes(&["text", "start"])
    .may_take(&["ignore_case"])
    .uses(IndexUse::PreciseScan)
    .gives(
        ReturnKind::Boolean,
        "Whether a text begins with another; ignoring case makes the index scan an expanded one.",
    )
    .examples(&[
        call("\"AdventureWorks\", \"Adv\"", "true"),
        call("\"AdventureWorks\", \"adv\"", "false"),
        call("\"AdventureWorks\", \"adv\", true", "true"),
        call("\"AdventureWorks\", \"\"", "true"),
        call("\"AdventureWorks\", 1", "undefined"),
    ]),
    Function::scalar(Family::String, "ENDSWITH", |arguments, _| {
        compare(arguments, |text, end| text.ends_with(end)).into()
    })
    .takes(&["text", "end"])
    .may_take(&["ignore_case"])
    .uses(IndexUse::FullScan)
    .gives(ReturnKind::Boolean, "Whether a text ends with another.")
    .examples(&[
        call("\"AdventureWorks\", \"Works\"", "true"),
        call("\"AdventureWorks\", \"works\"", "false"),
        call("\"AdventureWorks\", \"works\", true", "true"),
        call("null, \"a\"", "undefined"),
    ]),
    Function::scalar(Family::String, "STRINGEQUALS", |arguments, _| {
        compare(arguments, |left, right| left == right).into()
    })
    .also(&["STRING_EQUALS"])
    .takes(&["left", "right"])
    .may_take(&["ignore_case"])
    .uses(IndexUse::Seek)
    .gives(
        ReturnKind::Boolean,
        "Whether two texts are the same; ignoring case makes the index seek an expanded scan.",
    )
    .examples(&[
        call("\"abc\", \"abc\"", "true"),
        call("\"abc\", \"ABC\"", "false"),
        call("\"abc\", \"ABC\", true", "true"),
        call("\"abc\", null", "undefined"),
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
