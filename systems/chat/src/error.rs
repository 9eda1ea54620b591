//! Errors of the system, by what the caller can do about them.
//!
//! Owns the closed list of kinds. Does not own their form (`service::error`), status codes (`http`), nor how the hub
//! reports them (`hub`).

use service::error::{SystemError, SystemErrorKind};

/// Result of an action or a question.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of an action or a question.
pub type Error = SystemError<ErrorKind>;

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

impl SystemErrorKind for ErrorKind {
    const INVALID: Self = Self::Invalid;
    const NOT_FOUND: Self = Self::NotFound;
    const CONFLICT: Self = Self::Conflict;
    const UNAVAILABLE: Self = Self::Unavailable;
    const INTERNAL: Self = Self::Internal;
}
