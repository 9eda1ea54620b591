//! The error of a conversion between a Rust type and a JSON value.
//!
//! Owns the error of both directions. serde supplies the message.

use std::fmt;

/// A Rust type could not be serialized into a JSON value, or a JSON value could not be deserialized into the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionError {
    message: String,
}

pub(super) type ConversionResult<T> = Result<T, ConversionError>;

impl ConversionError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for ConversionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for ConversionError {}

impl serde_core::ser::Error for ConversionError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}

impl serde_core::de::Error for ConversionError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}
