//! LTRIM, RTRIM and TRIM: text without what surrounds it.
//!
//! Owns the reading of the second argument as a set of characters. White space goes when there is none.

use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, ScalarFunction, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    trimmer("LTRIM", |arguments, _| trim(arguments, &[TrimSide::Start]))
        .returns(ReturnKind::String, "A text without white space, or given characters, before it.")
        .examples(&[
            example("\"   AdventureWorks \"", "\"AdventureWorks \""),
            example("\"AdventureWorks\", \"Adventure\"", "\"Works\""),
            example("\"AdventureWorks\", \"\"", "\"AdventureWorks\""),
            example("1", "undefined"),
        ]),
    trimmer("RTRIM", |arguments, _| trim(arguments, &[TrimSide::End]))
        .returns(ReturnKind::String, "A text without white space, or given characters, after it.")
        .examples(&[
            example("\" AdventureWorks   \"", "\" AdventureWorks\""),
            example("\"AdventureWorks\", \"Works\"", "\"Adventure\""),
            example("\"AdventureWorks\", \"\"", "\"AdventureWorks\""),
            example("\"a\", 1", "undefined"),
        ]),
    trimmer("TRIM", |arguments, _| trim(arguments, &[TrimSide::Start, TrimSide::End]))
        .returns(ReturnKind::String, "A text without white space, or given characters, around it.")
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

/// Where characters are taken away.
enum TrimSide {
    Start,
    End,
}

fn trim(arguments: &[Value], sides: &[TrimSide]) -> Value {
    let Some(mut text) = argument::text(arguments, 0) else { return Value::Undefined };
    let is_trimmed: &dyn Fn(char) -> bool = match arguments.get(1) {
        None => &char::is_whitespace,
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
