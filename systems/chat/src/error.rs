//! Errors of the system, by what the caller can do about them.
//!
//! Owns the closed list of kinds and the messages. Does not own status codes (`http`) nor how the hub reports them
//! (`hub`).

use std::fmt;

/// Result of an action or a question.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of an action or a question.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    field: Option<&'static str>,
    source: Option<Box<client::Error>>,
}

/// What the caller can do. The list is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The input is not valid; nothing was stored.
    Invalid,
    /// The code is wrong, was used, or has expired; or too many were tried.
    SignInRefused,
    /// The caller may not do this, or is not a member of the room.
    Forbidden,
    /// It does not exist.
    NotFound,
    /// There are several, or its state does not allow this.
    Conflict,
    /// Too many in a short time. Wait.
    Limited,
    /// The data or Redis cannot be reached now. Try again.
    Unavailable,
    /// A bug of this program, or damaged data.
    Internal,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), field: None, source: None }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    pub(crate) fn invalid_field(field: &'static str, message: impl Into<String>) -> Self {
        Self { field: Some(field), ..Self::new(ErrorKind::Invalid, message) }
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Forbidden, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict, message)
    }

    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unavailable, message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// What the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The field of the input that is wrong.
    #[must_use]
    pub fn field(&self) -> Option<&'static str> {
        self.field
    }

    /// The error of the account.
    #[must_use]
    pub fn data_error(&self) -> Option<&client::Error> {
        self.source.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
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
