//! LTRIM, RTRIM and TRIM.
//!
//! The second argument is a set of characters to remove; without it, white space is removed.

use crate::budget::byte_units;
use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, ScalarFunction, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    trimmer("LTRIM", |arguments, context| trim(arguments, context, &[TrimSide::Start]))
        .returns(
            ReturnKind::String,
            "Removes white space, or the given characters, from the start of a string.",
        )
        .examples(&[
            example("\"   AdventureWorks \"", "\"AdventureWorks \""),
            example("\"AdventureWorks\", \"Adventure\"", "\"Works\""),
            example("\"AdventureWorks\", \"\"", "\"AdventureWorks\""),
            example("1", "undefined"),
        ]),
    trimmer("RTRIM", |arguments, context| trim(arguments, context, &[TrimSide::End]))
        .returns(
            ReturnKind::String,
            "Removes white space, or the given characters, from the end of a string.",
        )
        .examples(&[
            example("\" AdventureWorks   \"", "\" AdventureWorks\""),
            example("\"AdventureWorks\", \"Works\"", "\"Adventure\""),
            example("\"AdventureWorks\", \"\"", "\"AdventureWorks\""),
            example("\"a\", 1", "undefined"),
        ]),
    trimmer("TRIM", |arguments, context| {
        trim(arguments, context, &[TrimSide::Start, TrimSide::End])
    })
    .returns(
        ReturnKind::String,
        "Removes white space, or the given characters, from both ends of a string.",
    )
    .examples(&[
        example("\"   AdventureWorks   \"", "\"AdventureWorks\""),
        example("\"-_-AdventureWorks-_-\", \"-_\"", "\"AdventureWorks\""),
        example("\" a \", \"\"", "\" a \""),
        example("null", "undefined"),
    ]),
];

const fn trimmer(name: &'static str, evaluate: ScalarFunction) -> Function {
    Function::scalar(FunctionFamily::String, name, evaluate)
        .required(&["text"])
        .optional(&["characters"])
}

/// The end at which characters are removed.
enum TrimSide {
    Start,
    End,
}

fn trim(arguments: &[Value], context: &CallContext<'_>, sides: &[TrimSide]) -> Value {
    let Some(mut text) = argument::text(arguments, 0) else { return Value::Undefined };
    // Every removed character is looked for among the given ones.
    let characters = arguments.get(1).and_then(Value::as_str).map_or(1, str::len) as u64;
    let units = byte_units(text.len()).saturating_mul(characters);
    let budget = context.budget;
    if budget.work(units).and_then(|()| budget.build(text.len())).is_none() {
        return Value::Undefined;
    }
    let is_trimmed: &dyn Fn(char) -> bool = match arguments.get(1) {
        None => &char::is_whitespace,
        // An empty set removes nothing, not even white space.
        Some(Value::String(characters)) => &|character| characters.contains(character),
        Some(_) => return Value::Undefined,
    };
    for side in sides {
        text = match side {
            TrimSide::Start => text.trim_start_matches(is_trimmed),
            TrimSide::End => text.trim_end_matches(is_trimmed),
        };
    }
    text.into()
}
