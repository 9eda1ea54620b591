//! LTRIM, RTRIM and TRIM: text without what surrounds it.
//!
//! Owns the reading of the second argument as a set of characters. White space goes when there is none.

use crate::function::argument;
use crate::function::declaration::{Family, Function, ReturnKind, Scalar, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    trimmer("LTRIM", |arguments, _| trim(arguments, &[Side::Start]))
        .gives(ReturnKind::String, "A text without white space, or given characters, before it.")
        .examples(&[
            call("\"   AdventureWorks \"", "\"AdventureWorks \""),
            call("\"AdventureWorks\", \"Adventure\"", "\"Works\""),
            call("\"AdventureWorks\", \"\"", "\"AdventureWorks\""),
            call("1", "undefined"),
        ]),
    trimmer("RTRIM", |arguments, _| trim(arguments, &[Side::End]))
        .gives(ReturnKind::String, "A text without white space, or given characters, after it.")
        .examples(&[
            call("\" AdventureWorks   \"", "\" AdventureWorks\""),
            call("\"AdventureWorks\", \"Works\"", "\"Adventure\""),
            call("\"AdventureWorks\", \"\"", "\"AdventureWorks\""),
            call("\"a\", 1", "undefined"),
        ]),
    trimmer("TRIM", |arguments, _| trim(arguments, &[Side::Start, Side::End]))
        .gives(ReturnKind::String, "A text without white space, or given characters, around it.")
        .examples(&[
            call("\"   AdventureWorks   \"", "\"AdventureWorks\""),
            call("\"-_-AdventureWorks-_-\", \"-_\"", "\"AdventureWorks\""),
            call("\" a \", \"\"", "\" a \""),
            call("null", "undefined"),
        ]),
];

const fn trimmer(name: &'static str, evaluate: Scalar) -> Function {
    Function::scalar(Family::String, name, evaluate).takes(&["text"]).may_take(&["characters"])
}

/// Where characters are taken away.
enum Side {
    Start,
    End,
}

fn trim(arguments: &[Value], sides: &[Side]) -> Value {
    let Some(mut text) = argument::text(arguments, 0) else { return Value::Undefined };
    let is_trimmed: &dyn Fn(char) -> bool = match arguments.get(1) {
        None => &char::is_whitespace,
        Some(Value::String(characters)) => &|character| characters.contains(character),
        Some(_) => return Value::Undefined,
    };
    for side in sides {
        text = match side {
            Side::Start => text.trim_start_matches(is_trimmed),
            Side::End => text.trim_end_matches(is_trimmed),
        };
    }
    text.into()
}
