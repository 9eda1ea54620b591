//! The error of every validation in this crate.
//!
//! Owns a message that names the input, its value and how to fix it. Does not own status codes: `engine` maps this
//! error to one of its error kinds.

use std::fmt;

/// An input that breaks a rule of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidationError {
    message: String,
}

impl ValidationError {
    /// Creates an error. The message says what is wrong, with which value, and what would be accepted.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// The message.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ValidationError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for ValidationError {}

/// Result of a validation.
pub type Result<T> = std::result::Result<T, ValidationError>;
