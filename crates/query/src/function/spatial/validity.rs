//! ST_ISVALID and ST_ISVALIDDETAILED: whether a value is a shape.
//!
//! Owns the verdict as a value. Does not own the rules: see `read`.

use super::read;
use crate::function::context::CallContext;
use crate::function::declaration::{Family, Function, ReturnKind, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(Family::Spatial, "ST_ISVALID", |arguments, context| {
        verdict(arguments, context).map(|verdict| verdict.is_ok()).into()
    })
    .takes(&["shape"])
    .gives(ReturnKind::Boolean, "Whether a value is a valid GeoJSON shape.")
    .examples(&[
        call(r#"{"type":"Point","coordinates":[-84.38876194345323,33.75682784306348]}"#, "true"),
        call(r#"{"type":"Point","coordinates":[133.75682784306348,-184.38876194345323]}"#, "false"),
        call(r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[2,2]]]}"#, "false"),
        call("undefined", "undefined"),
    ]),
    Function::scalar(Family::Spatial, "ST_ISVALIDDETAILED", |arguments, context| {
        let Some(verdict) = verdict(arguments, context) else { return Value::Undefined };
        let reason = verdict.err().map(Value::from).unwrap_or_default();
        Value::object([("valid", Value::Bool(verdict.is_ok())), ("reason", reason)])
    })
    .takes(&["shape"])
    .gives(ReturnKind::Object, "Whether a value is a valid GeoJSON shape, and if not, why.")
    .examples(&[
        call(
            r#"{"type":"Point","coordinates":[-84.38876194345323,33.75682784306348]}"#,
            r#"{"valid":true}"#,
        ),
        call(
            r#"{"type":"Point","coordinates":[133.75682784306348,-184.38876194345323]}"#,
            r#"{"valid":false,"reason":"Latitude values must be between -90 and 90 degrees."}"#,
        ),
        call("undefined", "undefined"),
    ]),
];

/// Valid, or why not; none for undefined.
fn verdict(arguments: &[Value], context: &CallContext<'_>) -> Option<Result<(), read::Reason>> {
    let value = arguments.first().filter(|value| value.is_defined())?;
    Some(read::geometry(value, context.geospatial).map(|_| ()))
}
