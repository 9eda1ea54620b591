//! STRINGTOARRAY, STRINGTOBOOLEAN, STRINGTONULL, STRINGTONUMBER and STRINGTOOBJECT: JSON out of text.
//!
//! Owns the demand that the text is strict JSON of the wanted type. Does not own the parser: it is the one items are
//! read by. The documentation lists three of them under types.

use model::Json;

use crate::function::argument;
use crate::function::declaration::{Family, Function, ReturnKind, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(Family::String, "STRINGTOARRAY", |arguments, _| {
        parse(arguments, |json| matches!(json, Json::Array(_)))
    })
    .also(&["STRING_TO_ARRAY"])
    .takes(&["text"])
    .gives(ReturnKind::Array, "The array a text spells in JSON.")
    .examples(&[
        call(r#""[1,2,3]""#, "[1,2,3]"),
        call(r#""  [ \"a\" ] ""#, "[\"a\"]"),
        call(r#""['a']""#, "undefined"),
        call(r#""1""#, "undefined"),
        call("[1]", "undefined"),
    ]),
    Function::scalar(Family::String, "STRINGTOBOOLEAN", |arguments, _| {
        parse(arguments, |json| matches!(json, Json::Bool(_)))
    })
    .also(&["STRING_TO_BOOLEAN"])
    .takes(&["text"])
    .gives(ReturnKind::Boolean, "The Boolean a text spells in JSON.")
    .examples(&[
        call(r#""true""#, "true"),
        call(r#""   false ""#, "false"),
        call(r#""TRUE""#, "undefined"),
        call("true", "undefined"),
        call("null", "undefined"),
    ]),
    Function::scalar(Family::TypeCheck, "STRINGTONULL", |arguments, _| {
        parse(arguments, |json| matches!(json, Json::Null))
    })
    .also(&["STRING_TO_NULL"])
    .takes(&["text"])
    .gives(ReturnKind::Null, "Null, if that is what a text spells in JSON.")
    .examples(&[
        call(r#""null""#, "null"),
        call(r#""  null ""#, "null"),
        call(r#""NULL""#, "undefined"),
        call("null", "undefined"),
    ]),
    Function::scalar(Family::TypeCheck, "STRINGTONUMBER", |arguments, _| {
        parse(arguments, |json| matches!(json, Json::Number(_)))
    })
    .also(&["STRING_TO_NUMBER"])
    .takes(&["text"])
    .gives(ReturnKind::Number, "The number a text spells in JSON.")
    .examples(&[
        call(r#""100""#, "100"),
        call(r#""3.14""#, "3.14"),
        call(r#""   60   ""#, "60"),
        call(r#""-1.79769e+308""#, "-1.79769e+308"),
        call(r#""Hello""#, "undefined"),
        call(r#""NaN""#, "undefined"),
        call(r#""Infinity""#, "undefined"),
        call("undefined", "undefined"),
        call("null", "undefined"),
    ]),
    Function::scalar(Family::TypeCheck, "STRINGTOOBJECT", |arguments, _| {
        parse(arguments, |json| matches!(json, Json::Object(_)))
    })
    .also(&["STRING_TO_OBJECT"])
    .takes(&["text"])
    .gives(ReturnKind::Object, "The object a text spells in JSON.")
    .examples(&[
        call(r#""{\"a\": 1}""#, r#"{"a":1}"#),
        call(r#""{a: 1}""#, "undefined"),
        call(r#""[]""#, "undefined"),
        call("{}", "undefined"),
    ]),
];

fn parse(arguments: &[Value], is_wanted: impl Fn(&Json) -> bool) -> Value {
    argument::text(arguments, 0)
        .and_then(|text| Json::parse(text.as_bytes()).ok())
        .filter(is_wanted)
        .map_or(Value::Undefined, |json| Value::from(&json))
}
