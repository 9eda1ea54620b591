//! Errors of the system, by what the caller can do about them.
//!
//! Owns the closed list of kinds. Does not own their form (`service::error`) nor status codes (`http`).

use service::error::{SystemError, SystemErrorKind};

pub use service::error::InvalidField;

/// Result of an action or a question.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of an action or a question.
pub type Error = SystemError<ErrorKind>;

/// What the caller can do. The list is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The input is not valid; nothing was stored. See [`SystemError::invalid_fields`].
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

impl SystemErrorKind for ErrorKind {
    const INVALID: Self = Self::Invalid;
    const NOT_FOUND: Self = Self::NotFound;
    const CONFLICT: Self = Self::Conflict;
    const UNAVAILABLE: Self = Self::Unavailable;
    const INTERNAL: Self = Self::Internal;
}
