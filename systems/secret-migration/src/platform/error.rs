//! Failures of a source or a target.
//!
//! Owns the closed list. A failure names the path and never holds a value.

use std::time::Duration;

use crate::error::{Error, ErrorKind};

/// A failure of a source or a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformError {
    /// What happened.
    pub failure: PlatformFailure,
    /// What was asked for: a path, an address.
    pub subject: String,
}

/// What happened. The list is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlatformFailure {
    /// There is nothing at the path.
    Missing,
    /// The version was deleted, or destroyed.
    Deleted {
        /// Its number.
        version: u64,
        /// It cannot be undeleted.
        destroyed: bool,
    },
    /// The credential is refused or may not read the path.
    Denied,
    /// The platform is sealed.
    Sealed,
    /// The answering node is a standby.
    Standby,
    /// Too many requests.
    Busy {
        /// The pause it asks for.
        retry_after: Option<Duration>,
    },
    /// It does not answer, or fails.
    Unreachable {
        /// How, without values.
        why: String,
    },
    /// Something else was written meanwhile: the check-and-set failed.
    VersionConflict,
    /// It answered something that it must not.
    Garbage {
        /// What is wrong, without values.
        why: String,
    },
    /// The request is refused as wrong.
    Refused {
        /// The status.
        status: u16,
    },
}

impl PlatformError {
    pub(crate) fn new(failure: PlatformFailure, subject: impl Into<String>) -> Self {
        Self { failure, subject: subject.into() }
    }

    /// A request that was not answered, or only in part. The address is left out: it may name a token.
    pub(crate) fn unreachable(error: reqwest::Error, subject: &str) -> Self {
        let why = error.without_url().to_string();
        Self::new(PlatformFailure::Unreachable { why }, subject)
    }

    /// Whether there is nothing to read, or no longer.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        matches!(self.failure, PlatformFailure::Missing | PlatformFailure::Deleted { .. })
    }

    /// Whether the same request may succeed a moment later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(
            self.failure,
            PlatformFailure::Busy { .. }
                | PlatformFailure::Sealed
                | PlatformFailure::Standby
                | PlatformFailure::Unreachable { .. }
        )
    }
}

impl std::fmt::Display for PlatformError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let subject = &self.subject;
        match &self.failure {
            PlatformFailure::Missing => write!(formatter, "nothing at {subject}"),
            PlatformFailure::Deleted { version, destroyed: false } => {
                write!(formatter, "version {version} of {subject} is deleted")
            }
            PlatformFailure::Deleted { version, destroyed: true } => {
                write!(formatter, "version {version} of {subject} is destroyed")
            }
            PlatformFailure::Denied => write!(formatter, "access to {subject} is denied"),
            PlatformFailure::Sealed => write!(formatter, "{subject} is sealed"),
            PlatformFailure::Standby => write!(formatter, "{subject} is a standby"),
            PlatformFailure::Busy { .. } => write!(formatter, "too many requests to {subject}"),
            PlatformFailure::Unreachable { why } => write!(formatter, "{subject} fails: {why}"),
            PlatformFailure::VersionConflict => {
                write!(formatter, "{subject} was written by somebody else")
            }
            PlatformFailure::Garbage { why } => {
                write!(formatter, "{subject} answers what it must not: {why}")
            }
            PlatformFailure::Refused { status } => {
                write!(formatter, "{subject} refuses the request with status {status}")
            }
        }
    }
}

impl std::error::Error for PlatformError {}

impl From<PlatformError> for Error {
    fn from(error: PlatformError) -> Self {
        let kind = match &error.failure {
            PlatformFailure::Missing
            | PlatformFailure::Deleted { .. }
            | PlatformFailure::VersionConflict => ErrorKind::Conflict,
            PlatformFailure::Garbage { .. } => ErrorKind::BadAnswer,
            _ => ErrorKind::Unavailable,
        };
        Self::new(kind, error.to_string())
    }
}
