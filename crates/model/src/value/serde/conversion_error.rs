//! Why a value could not be converted.
//!
//! Owns the one error of both directions. serde composes the message.

use std::fmt;

/// Why a type could not become a JSON value, or a JSON value the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionError {
    message: String,
}

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
