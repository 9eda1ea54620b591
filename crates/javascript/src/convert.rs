//! JSON values and JavaScript values.
//!
//! Owns the conversion of arguments and results of functions. A number becomes a double, as every number of JavaScript;
//! integers beyond 2^53 lose digits, as in the service. Everything else is exact.

use model::{Json, Number};
use rquickjs::{Ctx, Exception, Type, Value};

/// A JSON value in a realm; undefined for none.
pub(crate) fn to_js<'js>(ctx: &Ctx<'js>, json: Option<&Json>) -> rquickjs::Result<Value<'js>> {
    Ok(match json {
        None => Value::new_undefined(ctx.clone()),
        Some(Json::Null) => Value::new_null(ctx.clone()),
        Some(Json::Bool(value)) => Value::new_bool(ctx.clone(), *value),
        Some(Json::Number(number)) => Value::new_number(ctx.clone(), number.as_f64()),
        Some(Json::String(text)) => rquickjs::String::from_str(ctx.clone(), text)?.into_value(),
        // As text: the parser defines a property named `__proto__` instead of setting a prototype.
        Some(structure) => ctx.json_parse(structure.to_bytes())?,
    })
}

/// The JSON form of a value; none for undefined, functions, symbols and numbers that are not finite. The inner error is
/// the number of bytes of a value that has more than allowed.
pub(crate) fn from_js<'js>(
    ctx: &Ctx<'js>,
    value: Value<'js>,
    bytes_max: usize,
) -> rquickjs::Result<Result<Option<Json>, usize>> {
    let json = match value.type_of() {
        Type::Null => Some(Json::Null),
        Type::Bool => value.as_bool().map(Json::Bool),
        Type::Int => value.as_int().map(|value| Json::from(i64::from(value))),
        Type::Float => value.as_float().and_then(Number::from_f64).map(Json::Number),
        Type::String => {
            let text = value.as_string().map(rquickjs::String::to_string).transpose()?;
            match text {
                Some(text) if text.len() > bytes_max => return Ok(Err(text.len())),
                text => text.map(Json::String),
            }
        }
        _ => {
            let Some(text) = ctx.json_stringify(value)? else { return Ok(Ok(None)) };
            let text = text.to_string()?;
            if text.len() > bytes_max {
                return Ok(Err(text.len()));
            }
            match Json::parse(text.as_bytes()) {
                Ok(json) => Some(json),
                Err(error) => {
                    let message = format!("The result is not JSON: {error}.");
                    return Err(Exception::throw_type(ctx, &message));
                }
            }
        }
    };
    Ok(Ok(json))
}
