//! OBJECTTOARRAY: properties as elements.
//!
//! Owns the property names of the result. The language has no function for the reverse.

use crate::budget::TEXT_HEADER_BYTES;
use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::Array, "OBJECTTOARRAY", |arguments, context| {
        convert(arguments, context).into()
    })
    .aliases(&["OBJECT_TO_ARRAY"])
    .required(&["object"])
    .optional(&["name_label", "value_label"])
    .returns(
        ReturnKind::Array,
        "One object for each property with its name and value, under `k` and `v` or the given \
             labels.",
    )
    .examples(&[
        example(
            r#"{"a": "12345", "b": "67890"}"#,
            r#"[{"k":"a","v":"12345"},{"k":"b","v":"67890"}]"#,
        ),
        example(r#"{"a": 1}, "name""#, r#"[{"name":"a","v":1}]"#),
        example(r#"{"a": 1}, "name", "value""#, r#"[{"name":"a","value":1}]"#),
        example("{}", "[]"),
        example("[1]", "undefined"),
        example(r#"{"a": 1}, 2"#, "undefined"),
    ])];

fn convert(arguments: &[Value], context: &CallContext<'_>) -> Option<Value> {
    let object = arguments.first()?.as_object()?;
    let name_label = argument::text_or(arguments, 1, "k")?;
    let value_label = argument::text_or(arguments, 2, "v")?;
    // Every element has its own copies of the labels.
    let labels = name_label.len() + value_label.len() + 4 * TEXT_HEADER_BYTES;
    for (name, value) in object.iter() {
        context.budget.build(labels + name.len())?;
        context.count_element(value)?;
    }
    Some(Value::array(object.iter().map(|(name, value)| {
        Value::object([(name_label, Value::String(name.clone())), (value_label, value.clone())])
    })))
}
