//! IS_ARRAY, IS_BOOL, IS_DEFINED, IS_NULL, IS_NUMBER, IS_OBJECT, IS_PRIMITIVE and IS_STRING.
//!
//! Owns the questions about the type alone. Does not own questions about the size of a number: see `number`.

use crate::function::declaration::{Family, Function, IndexUse, ReturnKind, Scalar, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    check("IS_ARRAY", |arguments, _| is(arguments, |value| matches!(value, Value::Array(_))))
        .gives(ReturnKind::Boolean, "Whether the value is an array.")
        .examples(&[call("[1]", "true"), call("{}", "false"), call("undefined", "false")]),
    check("IS_BOOL", |arguments, _| is(arguments, |value| matches!(value, Value::Bool(_))))
        .also(&["IS_BOOLEAN"])
        .gives(ReturnKind::Boolean, "Whether the value is true or false.")
        .examples(&[call("false", "true"), call("0", "false"), call("undefined", "false")]),
    check("IS_DEFINED", |arguments, _| is(arguments, Value::is_defined))
        .uses(IndexUse::Seek)
        .gives(ReturnKind::Boolean, "Whether there is a value, null included.")
        .examples(&[call("null", "true"), call("undefined", "false")]),
    check("IS_NULL", |arguments, _| is(arguments, |value| matches!(value, Value::Null)))
        .uses(IndexUse::Seek)
        .gives(ReturnKind::Boolean, "Whether the value is null.")
        .examples(&[call("null", "true"), call("0", "false"), call("undefined", "false")]),
    check("IS_NUMBER", |arguments, _| is(arguments, Value::is_number))
        .gives(ReturnKind::Boolean, "Whether the value is a number.")
        .examples(&[call("1.5", "true"), call("\"1\"", "false"), call("undefined", "false")]),
    check("IS_OBJECT", |arguments, _| is(arguments, |value| matches!(value, Value::Object(_))))
        .gives(ReturnKind::Boolean, "Whether the value is an object.")
        .examples(&[call("{}", "true"), call("[]", "false"), call("undefined", "false")]),
    check("IS_PRIMITIVE", |arguments, _| is(arguments, is_primitive))
        .gives(ReturnKind::Boolean, "Whether the value is a string, a Boolean, a number or null.")
        .examples(&[
            call("\"a\"", "true"),
            call("null", "true"),
            call("[]", "false"),
            call("undefined", "false"),
        ]),
    check("IS_STRING", |arguments, _| is(arguments, |value| matches!(value, Value::String(_))))
        .gives(ReturnKind::Boolean, "Whether the value is text.")
        .examples(&[call("\"\"", "true"), call("null", "false"), call("undefined", "false")]),
];

/// A question about one value.
pub(super) const fn check(name: &'static str, evaluate: Scalar) -> Function {
    Function::scalar(Family::TypeCheck, name, evaluate).takes(&["value"]).uses(IndexUse::Range)
}

/// Always a Boolean, also for undefined.
pub(super) fn is(arguments: &[Value], question: impl Fn(&Value) -> bool) -> Value {
    Value::Bool(arguments.first().is_some_and(question))
}

fn is_primitive(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(_) | Value::String(_)) || value.is_number()
}
