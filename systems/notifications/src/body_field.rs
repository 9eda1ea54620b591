//! A property of a request body that may be wrong.
//!
//! Bodies are deserialized into structs of [`BodyField`]s, which also give the OpenAPI document its schemas. A wrong
//! property does not end the deserialization, so that one response can name everything that is wrong with a body.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::error::InvalidField;

/// A property as it was sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum BodyField<T> {
    /// It is not there.
    #[default]
    Missing,
    /// It is `null`.
    Null,
    /// It has the right type.
    Valid(T),
    /// It has another type, or a value that the type does not allow.
    Invalid(Value),
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for BodyField<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if value.is_null() {
            return Ok(Self::Null);
        }
        Ok(match T::deserialize(&value) {
            Ok(valid) => Self::Valid(valid),
            Err(_) => Self::Invalid(value),
        })
    }
}

impl<T> BodyField<T> {
    /// The value, if it is valid.
    pub(crate) fn valid(self) -> Option<T> {
        match self {
            Self::Valid(value) => Some(value),
            Self::Missing | Self::Null | Self::Invalid(_) => None,
        }
    }

    /// An optional value: `None` if it is missing or `null`.
    ///
    /// # Errors
    /// `message`, if it is something else.
    pub(crate) fn optional(self, message: &str) -> Result<Option<T>, String> {
        match self {
            Self::Missing | Self::Null => Ok(None),
            Self::Valid(value) => Ok(Some(value)),
            Self::Invalid(_) => Err(message.to_owned()),
        }
    }
}

/// Unwraps the value of a field; otherwise adds the message to the errors.
pub(crate) fn collect<T>(
    errors: &mut Vec<InvalidField>,
    field: &str,
    value: Result<T, String>,
) -> Option<T> {
    value.map_err(|message| errors.push(InvalidField::new(field, message))).ok()
}
