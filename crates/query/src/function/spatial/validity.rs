//! ST_ISVALID and ST_ISVALIDDETAILED.
//!
//! Owns the result of validation as a value. Does not own the rules: see `read`.

use super::read;
use crate::budget::value_bytes;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::Spatial, "ST_ISVALID", |arguments, context| {
        validate(arguments, context).map(|validity| validity.is_ok()).into()
    })
    .required(&["shape"])
    .returns(ReturnKind::Boolean, "Whether a value is a valid GeoJSON shape.")
    .examples(&[
        example(r#"{"type":"Point","coordinates":[-84.38876194345323,33.75682784306348]}"#, "true"),
        example(
            r#"{"type":"Point","coordinates":[133.75682784306348,-184.38876194345323]}"#,
            "false",
        ),
        example(r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[2,2]]]}"#, "false"),
        example("undefined", "undefined"),
    ]),
    Function::scalar(FunctionFamily::Spatial, "ST_ISVALIDDETAILED", |arguments, context| {
        let Some(validity) = validate(arguments, context) else { return Value::Undefined };
        let reason = validity.err().map(Value::from).unwrap_or_default();
        Value::object([("valid", Value::Bool(validity.is_ok())), ("reason", reason)])
    })
    .required(&["shape"])
    .returns(ReturnKind::Object, "Whether a value is a valid GeoJSON shape, and if not, why.")
    .examples(&[
        example(
            r#"{"type":"Point","coordinates":[-84.38876194345323,33.75682784306348]}"#,
            r#"{"valid":true}"#,
        ),
        example(
            r#"{"type":"Point","coordinates":[133.75682784306348,-184.38876194345323]}"#,
            r#"{"valid":false,"reason":"Latitude values must be between -90 and 90 degrees."}"#,
        ),
        example("undefined", "undefined"),
    ]),
];

/// Validates the argument; `None` if it is undefined.
fn validate(
    arguments: &[Value],
    context: &CallContext<'_>,
) -> Option<Result<(), read::InvalidReason>> {
    let value = arguments.first().filter(|value| value.is_defined())?;
    context.budget.build(value_bytes(value))?;
    Some(read::geometry(value, context.geospatial).map(|_| ()))
}
