//! IS_ARRAY, IS_BOOL, IS_DEFINED, IS_NULL, IS_NUMBER, IS_OBJECT, IS_PRIMITIVE and IS_STRING.
//!
//! Owns the checks of the type alone. Does not own checks of the value of a number: see `number`.

use crate::function::declaration::{
    Function, FunctionFamily, IndexUse, ReturnKind, ScalarFunction, example,
};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    check("IS_ARRAY", |arguments, _| {
        check_type(arguments, |value| matches!(value, Value::Array(_)))
    })
    .returns(ReturnKind::Boolean, "Whether the value is an array.")
    .examples(&[
        example("[1]", "true"),
        example("{}", "false"),
        example("undefined", "false"),
    ]),
    check("IS_BOOL", |arguments, _| check_type(arguments, |value| matches!(value, Value::Bool(_))))
        .aliases(&["IS_BOOLEAN"])
        .returns(ReturnKind::Boolean, "Whether the value is true or false.")
        .examples(&[
            example("false", "true"),
            example("0", "false"),
            example("undefined", "false"),
        ]),
    check("IS_DEFINED", |arguments, _| check_type(arguments, Value::is_defined))
        .index_use(IndexUse::Seek)
        .returns(ReturnKind::Boolean, "Whether the value is defined; null is.")
        .examples(&[example("null", "true"), example("undefined", "false")]),
    check("IS_NULL", |arguments, _| check_type(arguments, |value| matches!(value, Value::Null)))
        .index_use(IndexUse::Seek)
        .returns(ReturnKind::Boolean, "Whether the value is null.")
        .examples(&[example("null", "true"), example("0", "false"), example("undefined", "false")]),
    check("IS_NUMBER", |arguments, _| check_type(arguments, Value::is_number))
        .returns(ReturnKind::Boolean, "Whether the value is a number.")
        .examples(&[
            example("1.5", "true"),
            example("\"1\"", "false"),
            example("undefined", "false"),
        ]),
    check("IS_OBJECT", |arguments, _| {
        check_type(arguments, |value| matches!(value, Value::Object(_)))
    })
    .returns(ReturnKind::Boolean, "Whether the value is an object.")
    .examples(&[example("{}", "true"), example("[]", "false"), example("undefined", "false")]),
    check("IS_PRIMITIVE", |arguments, _| check_type(arguments, is_primitive))
        .returns(ReturnKind::Boolean, "Whether the value is a string, a Boolean, a number or null.")
        .examples(&[
            example("\"a\"", "true"),
            example("null", "true"),
            example("[]", "false"),
            example("undefined", "false"),
        ]),
    check("IS_STRING", |arguments, _| {
        check_type(arguments, |value| matches!(value, Value::String(_)))
    })
    .returns(ReturnKind::Boolean, "Whether the value is a string.")
    .examples(&[
        example("\"\"", "true"),
        example("null", "false"),
        example("undefined", "false"),
    ]),
];

/// A check of one value.
pub(super) const fn check(name: &'static str, evaluate: ScalarFunction) -> Function {
    Function::scalar(FunctionFamily::TypeCheck, name, evaluate)
        .required(&["value"])
        .index_use(IndexUse::Range)
}

/// Always a Boolean, even for undefined.
pub(super) fn check_type(arguments: &[Value], predicate: impl Fn(&Value) -> bool) -> Value {
    Value::Bool(arguments.first().is_some_and(predicate))
}

fn is_primitive(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(_) | Value::String(_)) || value.is_number()
}
