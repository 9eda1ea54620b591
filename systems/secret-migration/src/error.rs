//! Errors of the system, by what the caller can do about them.
//!
//! Owns the closed list of kinds; a message never holds a value of a secret. Does not own the form of an error
//! (`service::error`) nor status codes (`http`).

use service::error::{SystemError, SystemErrorKind};

use crate::domain::IllegalMove;

/// Result of an action or a question.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of an action or a question.
pub type Error = SystemError<ErrorKind>;

/// What the caller can do. The list is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The input is not valid; nothing was changed.
    Invalid,
    /// It does not exist.
    NotFound,
    /// Its state does not allow this.
    Conflict,
    /// Somebody else changed it. Read it again.
    Changed,
    /// The namespace has no mapping to the new platform, or its mapping is stale.
    MappingMissing,
    /// Somebody else has to approve it first.
    ApprovalMissing,
    /// The data, the source or the target cannot be reached now. Try again.
    Unavailable,
    /// The source or the target answered something that it must not.
    BadAnswer,
    /// A bug of this program, or damaged data.
    Internal,
}

impl SystemErrorKind for ErrorKind {
    const INVALID: Self = Self::Invalid;
    const NOT_FOUND: Self = Self::NotFound;
    const CONFLICT: Self = Self::Conflict;
    const UNAVAILABLE: Self = Self::Unavailable;
    const INTERNAL: Self = Self::Internal;
    const CHANGED: Self = Self::Changed;
}

impl From<IllegalMove> for Error {
    fn from(illegal: IllegalMove) -> Self {
        Self::conflict(illegal.to_string())
    }
}
