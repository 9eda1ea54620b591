//! Errors of the system, by what the caller can do about them.
//!
//! Owns the closed list of kinds and the messages. Does not own status codes (`http`).

use std::fmt;

/// Result of an action or a question.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of an action or a question.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    invalid_fields: Vec<InvalidField>,
    source: Option<Box<client::Error>>,
}

/// What the caller can do. The list is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The input is not valid; nothing was stored. See [`Error::invalid_fields`].
    Invalid,
    /// It does not exist, or it is not the caller's.
    NotFound,
    /// Its state does not allow this.
    Conflict,
    /// The data cannot be reached now. Try again.
    Unavailable,
    /// A bug of this program, or damaged data.
    Internal,
}

/// What is wrong with one field of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidField {
    /// The path of the field, such as `payload.targetId`.
    pub field: String,
    /// What is wrong with its value, and what is expected.
    pub message: String,
}

impl Error {
    /// An input that is not valid as a whole.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// An input with these wrong fields.
    pub(crate) fn with_invalid_fields(subject: &str, invalid_fields: Vec<InvalidField>) -> Self {
        let fields: Vec<&str> = invalid_fields.iter().map(|error| error.field.as_str()).collect();
        let message = format!("{subject}: wrong {}", fields.join(", "));
        Self { invalid_fields, ..Self::new(ErrorKind::Invalid, message) }
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
        Self { kind, message: message.into(), invalid_fields: Vec::new(), source: None }
    }

    /// What the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message, without the wrong fields.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The wrong fields of the input.
    #[must_use]
    pub fn invalid_fields(&self) -> &[InvalidField] {
        &self.invalid_fields
    }

    /// The error of the account.
    #[must_use]
    pub fn data_error(&self) -> Option<&client::Error> {
        self.source.as_deref()
    }
}

impl InvalidField {
    pub(crate) fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        for error in &self.invalid_fields {
            write!(formatter, "; {}: {}", error.field, error.message)?;
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
