//! Why something was not done, by what the caller can do about it.
//!
//! Owns the closed list and the sentences. Does not own status codes (`http`).

use std::fmt;

/// Result of an action or a question.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    field_errors: Vec<FieldError>,
    source: Option<Box<client::Error>>,
}

/// What the caller can do. The list is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The input breaks a rule; nothing was stored. See [`Error::field_errors`].
    Invalid,
    /// There is no such thing, or it is not the caller's.
    NotFound,
    /// The thing is not in the state for this.
    Conflict,
    /// The data cannot be reached now. Try again.
    Unavailable,
    /// A bug, ours or of the data.
    Internal,
}

/// What is wrong with one part of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Where: the name of the field, with the names around it.
    pub field: String,
    /// What is wrong with its value, and what would be right.
    pub message: String,
}

impl Error {
    /// An input that breaks a rule as a whole.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// An input with these parts wrong.
    pub(crate) fn invalid_fields(what: &str, field_errors: Vec<FieldError>) -> Self {
        let fields: Vec<&str> = field_errors.iter().map(|problem| problem.field.as_str()).collect();
        let message = format!("{what}: wrong {}", fields.join(", "));
        Self { field_errors, ..Self::new(ErrorKind::Invalid, message) }
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict, message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), field_errors: Vec::new(), source: None }
    }

    /// What the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The sentence, without the parts that are wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The parts of the input that are wrong.
    #[must_use]
    pub fn field_errors(&self) -> &[FieldError] {
        &self.field_errors
    }

    /// What the data said.
    #[must_use]
    pub fn data_error(&self) -> Option<&client::Error> {
        self.source.as_deref()
    }
}

impl FieldError {
    /// A part that is wrong.
    pub(crate) fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        for problem in &self.field_errors {
            write!(formatter, "; {}: {}", problem.field, problem.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}

impl From<client::Error> for Error {
    fn from(error: client::Error) -> Self {
        let kind = match error.kind() {
            client::ErrorKind::NotFound => ErrorKind::NotFound,
            client::ErrorKind::Conflict | client::ErrorKind::Precondition => ErrorKind::Conflict,
            client::ErrorKind::Throttled { .. } | client::ErrorKind::Unavailable => {
                ErrorKind::Unavailable
            }
            client::ErrorKind::BadRequest | client::ErrorKind::TooLarge => ErrorKind::Invalid,
            client::ErrorKind::Unauthorized
            | client::ErrorKind::Unsupported
            | client::ErrorKind::Unexpected => ErrorKind::Internal,
        };
        let message = error.to_string();
        Self { source: Some(Box::new(error)), ..Self::new(kind, message) }
    }
}
