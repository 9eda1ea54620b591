//! ARRAY_CONTAINS: whether a value is among the elements.
//!
//! Owns equality and the partial match of objects. Does not own the form with several values: see `contains_several`.

use crate::function::argument;
use crate::function::declaration::{Family, Function, IndexUse, ReturnKind, call};
use crate::value::{Value, equal};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(Family::Array, "ARRAY_CONTAINS", |arguments, _| contains(arguments).into())
        .takes(&["array", "value"])
        .may_take(&["partial"])
        .uses(IndexUse::Seek)
        .gives(
            ReturnKind::Boolean,
            "Whether an element equals the value; with partial, whether an element object holds at \
             least the properties of the value, at every depth.",
        )
        .examples(&[
            call("[\"a\", \"b\"], \"a\"", "true"),
            call("[1, 2], 1.0", "true"),
            call("[\"a\"], \"c\"", "false"),
            call(r#"[{"a": 1, "b": 2}], {"a": 1}"#, "false"),
            call(r#"[{"a": 1, "b": 2}], {"b": 2, "a": 1}"#, "true"),
            call(r#"[{"a": 1, "b": 2}], {"a": 1}, true"#, "true"),
            call(r#"[{"a": {"b": 1, "c": 2}}], {"a": {"b": 1}}, true"#, "true"),
            call(r#"[{"a": {"b": 1, "c": 2}}], {"a": {"b": 2}}, true"#, "false"),
            call("\"a\", \"a\"", "undefined"),
            call("[1], undefined", "undefined"),
            call("[1], 1, 1", "undefined"),
        ]),
    Function::scalar(Family::Array, "_TRY_ARRAY_CONTAINS", |arguments, _| {
        match arguments.first() {
            Some(Value::Array(_)) => contains(arguments).into(),
            _ => Value::Bool(false),
        }
    })
    .takes(&["array", "value"])
    .may_take(&["partial"])
    .undocumented()
    .gives(ReturnKind::Boolean, "ARRAY_CONTAINS that is false when there is no array.")
    .examples(&[
        call("[1], 1", "true"),
        call("null, 1", "false"),
        call("undefined, 1", "false"),
    ]),
];

fn contains(arguments: &[Value]) -> Option<bool> {
    let [array, value, ..] = arguments else { return None };
    let elements = array.as_array().filter(|_| value.is_defined())?;
    Some(if argument::flag(arguments, 2)? {
        elements.iter().any(|element| holds(element, value))
    } else {
        elements.iter().any(|element| equal(element, value) == Some(true))
    })
}

/// Whether a value has everything another one has: objects by their properties, all else by equality.
fn holds(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::Object(object), Value::Object(part)) => {
            part.iter().all(|(name, part)| object.get(name).is_some_and(|value| holds(value, part)))
        }
        _ => equal(value, part) == Some(true),
    }
}
