//! ARRAY_CONTAINS: whether a value is among the elements.
//!
//! Owns equality and the partial match of objects. Does not own the form with several values: see `contains_several`.

use crate::budget::{byte_units, value_units};
use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, IndexUse, ReturnKind, example};
use crate::value::{Value, equal};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::Array, "ARRAY_CONTAINS", |arguments, context| {
        contains(arguments, context).into()
    })
    .required(&["array", "value"])
    .optional(&["partial"])
    .index_use(IndexUse::Seek)
    .returns(
        ReturnKind::Boolean,
        "Whether an element equals the value; with partial, whether an element object holds at \
             least the properties of the value, at every depth.",
    )
    .examples(&[
        example("[\"a\", \"b\"], \"a\"", "true"),
        example("[1, 2], 1.0", "true"),
        example("[\"a\"], \"c\"", "false"),
        example(r#"[{"a": 1, "b": 2}], {"a": 1}"#, "false"),
        example(r#"[{"a": 1, "b": 2}], {"b": 2, "a": 1}"#, "true"),
        example(r#"[{"a": 1, "b": 2}], {"a": 1}, true"#, "true"),
        example(r#"[{"a": {"b": 1, "c": 2}}], {"a": {"b": 1}}, true"#, "true"),
        example(r#"[{"a": {"b": 1, "c": 2}}], {"a": {"b": 2}}, true"#, "false"),
        example("\"a\", \"a\"", "undefined"),
        example("[1], undefined", "undefined"),
        example("[1], 1, 1", "undefined"),
    ]),
    Function::scalar(FunctionFamily::Array, "_TRY_ARRAY_CONTAINS", |arguments, context| {
        match arguments.first() {
            Some(Value::Array(_)) => contains(arguments, context).into(),
            _ => Value::Bool(false),
        }
    })
    .required(&["array", "value"])
    .optional(&["partial"])
    .undocumented()
    .returns(
        ReturnKind::Boolean,
        "Like ARRAY_CONTAINS, but false if the first argument is not an array.",
    )
    .examples(&[
        example("[1], 1", "true"),
        example("null, 1", "false"),
        example("undefined, 1", "false"),
    ]),
];

fn contains(arguments: &[Value], context: &CallContext<'_>) -> Option<bool> {
    let [array, value, ..] = arguments else { return None };
    // Undefined is never an element, but the result is undefined and not false.
    let elements = array.as_array().filter(|_| value.is_defined())?;
    if let Value::String(text) = value {
        // A string is compared only with those of its length.
        let equally_long = |element: &&Value| element.as_str().map(str::len) == Some(text.len());
        let compared = elements.iter().filter(equally_long).count() as u64;
        context.budget.work(byte_units(text.len()).saturating_mul(compared))?;
    }
    if matches!(value, Value::Array(_) | Value::Object(_)) {
        // Each element may be compared in depth, and each property of the value looked for among those of an element.
        let properties = value.as_object().map_or(1, |object| object.len().max(1)) as u64;
        context.budget.work(value_units(array).saturating_mul(properties))?;
    }
    Some(if argument::flag(arguments, 2)? {
        elements.iter().any(|element| matches_part(element, value))
    } else {
        elements.iter().any(|element| equal(element, value) == Some(true))
    })
}

/// Whether a value contains another one: objects are compared property by property, everything else by equality.
fn matches_part(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::Object(object), Value::Object(part)) => part
            .iter()
            .all(|(name, part)| object.get(name).is_some_and(|value| matches_part(value, part))),
        _ => equal(value, part) == Some(true),
    }
}
