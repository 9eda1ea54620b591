//! Conversion between stored values and values of evaluation.
//!
//! Owns the conversion both ways. Does not own text: parsing belongs to `model`, printing to `print`.

use std::sync::Arc;

use model::{Json, Number};

use super::{NotRepresentable, Value, ValueObject};

impl From<&Json> for Value {
    fn from(json: &Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => Self::from(number),
            Json::String(text) => Self::from(text.as_str()),
            Json::Array(elements) => Self::Array(elements.iter().map(Self::from).collect()),
            Json::Object(object) => {
                let properties = object.iter().map(|(name, value)| (name.into(), value.into()));
                Self::Object(ValueObject::from_unique(properties.collect()))
            }
        }
    }
}

impl From<&Number> for Value {
    fn from(number: &Number) -> Self {
        // Digits beyond a double are lost here; results that return a whole item print its stored text.
        number.as_i64().map_or_else(|| Self::Double(number.as_f64()), Self::Integer)
    }
}

impl Value {
    /// The stored form; `None` for undefined.
    ///
    /// # Errors
    /// If a number is NaN or infinite.
    pub fn to_json(&self) -> Result<Option<Json>, NotRepresentable> {
        Ok(Some(match self {
            Self::Undefined => return Ok(None),
            Self::Null => Json::Null,
            Self::Bool(value) => Json::Bool(*value),
            Self::Integer(integer) => Json::from(*integer),
            Self::Double(double) => {
                Json::Number(Number::from_f64(*double).ok_or(NotRepresentable)?)
            }
            Self::String(text) => Json::from(&**text),
            Self::Array(elements) => {
                let mut array = Vec::with_capacity(elements.len());
                for element in elements.iter() {
                    // Undefined elements extend by nothing. `Value::array` has left them out already.
                    array.extend(element.to_json()?);
                }
                Json::Array(array)
            }
            Self::Object(object) => {
                let mut properties = model::Object::new();
                for (name, value) in object.iter() {
                    if let Some(value) = value.to_json()? {
                        properties.insert(Arc::as_ref(name), value);
                    }
                }
                Json::Object(properties)
            }
        }))
    }
}
