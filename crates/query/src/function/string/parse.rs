//! STRINGTOARRAY, STRINGTOBOOLEAN, STRINGTONULL, STRINGTONUMBER and STRINGTOOBJECT: parsing JSON.
//!
//! The text must be strict JSON of the requested type. Does not own the parser, which is that of items. The
//! documentation lists three of these functions under types.

use model::Json;

use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::String, "STRINGTOARRAY", |arguments, context| {
        parse(arguments, context, |json| matches!(json, Json::Array(_)))
    })
    .aliases(&["STRING_TO_ARRAY"])
    .required(&["text"])
    .returns(ReturnKind::Array, "Parses a string as a JSON array.")
    .examples(&[
        example(r#""[1,2,3]""#, "[1,2,3]"),
        example(r#""  [ \"a\" ] ""#, "[\"a\"]"),
        example(r#""['a']""#, "undefined"),
        example(r#""1""#, "undefined"),
        example("[1]", "undefined"),
    ]),
    Function::scalar(FunctionFamily::String, "STRINGTOBOOLEAN", |arguments, context| {
        parse(arguments, context, |json| matches!(json, Json::Bool(_)))
    })
    .aliases(&["STRING_TO_BOOLEAN"])
    .required(&["text"])
    .returns(ReturnKind::Boolean, "Parses a string as a JSON Boolean.")
    .examples(&[
        example(r#""true""#, "true"),
        example(r#""   false ""#, "false"),
        example(r#""TRUE""#, "undefined"),
        example("true", "undefined"),
        example("null", "undefined"),
    ]),
    Function::scalar(FunctionFamily::TypeCheck, "STRINGTONULL", |arguments, context| {
        parse(arguments, context, |json| matches!(json, Json::Null))
    })
    .aliases(&["STRING_TO_NULL"])
    .required(&["text"])
    .returns(ReturnKind::Null, "Parses a string as JSON null.")
    .examples(&[
        example(r#""null""#, "null"),
        example(r#""  null ""#, "null"),
        example(r#""NULL""#, "undefined"),
        example("null", "undefined"),
    ]),
    Function::scalar(FunctionFamily::TypeCheck, "STRINGTONUMBER", |arguments, context| {
        parse(arguments, context, |json| matches!(json, Json::Number(_)))
    })
    .aliases(&["STRING_TO_NUMBER"])
    .required(&["text"])
    .returns(ReturnKind::Number, "Parses a string as a JSON number.")
    .examples(&[
        example(r#""100""#, "100"),
        example(r#""3.14""#, "3.14"),
        example(r#""   60   ""#, "60"),
        example(r#""-1.79769e+308""#, "-1.79769e+308"),
        example(r#""Hello""#, "undefined"),
        example(r#""NaN""#, "undefined"),
        example(r#""Infinity""#, "undefined"),
        example("undefined", "undefined"),
        example("null", "undefined"),
    ]),
    Function::scalar(FunctionFamily::TypeCheck, "STRINGTOOBJECT", |arguments, context| {
        parse(arguments, context, |json| matches!(json, Json::Object(_)))
    })
    .aliases(&["STRING_TO_OBJECT"])
    .required(&["text"])
    .returns(ReturnKind::Object, "Parses a string as a JSON object.")
    .examples(&[
        example(r#""{\"a\": 1}""#, r#"{"a":1}"#),
        example(r#""{a: 1}""#, "undefined"),
        example(r#""[]""#, "undefined"),
        example("{}", "undefined"),
    ]),
];

fn parse(
    arguments: &[Value],
    context: &CallContext<'_>,
    is_wanted: impl Fn(&Json) -> bool,
) -> Value {
    /// The most bytes of memory for each byte of text: an element of an array takes two bytes of text, and a value here
    /// and in the parsed tree.
    const GROWTH_MAX: usize = 32;
    argument::text(arguments, 0)
        // The parser of items also limits the nesting of the result.
        .filter(|text| context.budget.build(text.len().saturating_mul(GROWTH_MAX)).is_some())
        .and_then(|text| Json::parse(text.as_bytes()).ok())
        .filter(is_wanted)
        .map_or(Value::Undefined, |json| Value::from(&json))
}
