//! STARTSWITH, ENDSWITH and STRINGEQUALS.
//!
//! Owns the `ignore_case` flag, here and for CONTAINS. Does not own CONTAINS itself.

use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, IndexUse, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::String, "STARTSWITH", |arguments, context| {
        compare(arguments, context, |text, start| text.starts_with(start)).into()
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
    Function::scalar(FunctionFamily::String, "ENDSWITH", |arguments, context| {
        compare(arguments, context, |text, end| text.ends_with(end)).into()
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
    Function::scalar(FunctionFamily::String, "STRINGEQUALS", |arguments, context| {
        compare(arguments, context, |left, right| left == right).into()
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
    context: &CallContext<'_>,
    compare_strings: impl Fn(&str, &str) -> bool,
) -> Option<bool> {
    let (left, right) = argument::text(arguments, 0).zip(argument::text(arguments, 1))?;
    Some(if argument::flag(arguments, 2)? {
        // The full Unicode mapping, as LOWER uses it. It may change the length of a string.
        // Two copies, which live only here: the budget forgets them at once, because a caller may compare many times.
        let memory = &context.budget.memory;
        let built = memory.built_bytes();
        context.budget.build(left.len().saturating_add(right.len()).saturating_mul(2))?;
        memory.reset_built(built);
        compare_strings(&left.to_lowercase(), &right.to_lowercase())
    } else {
        compare_strings(left, right)
    })
}
