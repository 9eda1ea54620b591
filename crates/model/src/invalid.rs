//! Why an input cannot be accepted.
//!
//! Owns the one error of this crate: a sentence that names the thing, the value and the way out. Does not own status
//! codes; `engine` decides which error kind an invalid input becomes.

use std::fmt;

/// An input that breaks a rule of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    message: String,
}

impl Invalid {
    /// Says what is wrong, with which value, and what would be right.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// The sentence.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Invalid {}

/// Result of a validation.
pub type Result<T> = std::result::Result<T, Invalid>;
