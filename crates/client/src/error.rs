//! Errors, grouped by what the caller can do about them. The same for all backends.
//!
//! Owns the kinds and the error type. Does not own the mapping to a kind: each backend has one table.

use std::fmt;
use std::time::Duration;

/// Result of a call.
pub type Result<T> = std::result::Result<T, Error>;

/// A failed call.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    // Apart from the kind: `Unavailable` alone does not say whether the request has left this process.
    may_have_happened: bool,
    failed_operation: Option<usize>,
    attempts: u32,
    charge: f64,
}

/// What the caller can do about an error. The list is exhaustive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The item, container or database does not exist.
    NotFound,
    /// The id or a unique key is taken. Choose another one, or replace the item.
    Conflict,
    /// The etag or the condition of a patch does not match. Read the item again and decide again.
    Precondition,
    /// The throughput is exhausted. The retry policy has already retried; try again after the delay.
    Throttled {
        /// How long to wait, if the account returned a delay.
        delay: Option<Duration>,
    },
    /// The item, the batch or the logical partition is larger than the service allows.
    TooLarge,
    /// The call is invalid. Fix it; nothing was written.
    BadRequest,
    /// The credential is invalid or does not permit this call.
    Unauthorized,
    /// The account is currently not available. Check [`Error::may_have_happened`] before you repeat a write.
    Unavailable,
    /// This account does not support the call. The documentation of this crate lists such calls.
    Unsupported,
    /// The response cannot be deserialized into the requested type, or is inconsistent.
    Unexpected,
}

impl Error {
    /// An error of a call that did not write anything.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            may_have_happened: false,
            failed_operation: None,
            attempts: 1,
            charge: 0.0,
        }
    }

    /// The account is not available, and it is unknown whether a write was executed.
    pub(crate) fn unknown_outcome(message: impl Into<String>) -> Self {
        Self { may_have_happened: true, ..Self::new(ErrorKind::Unavailable, message) }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadRequest, message)
    }

    #[cfg(feature = "connect")]
    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, message)
    }

    pub(crate) fn unexpected(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unexpected, message)
    }

    /// Appends the cause to the message. The cause is not available as [`std::error::Error::source`]: reporters that
    /// print both would print it twice, and its type is not part of the API.
    pub(crate) fn caused_by(mut self, cause: &dyn fmt::Display) -> Self {
        self.message = format!("{}: {cause}", self.message);
        self
    }

    /// Sets the operation of a batch that failed.
    pub(crate) fn at_operation(mut self, index: usize) -> Self {
        self.failed_operation = Some(index);
        self
    }

    /// Marks the error of a call that cannot have written anything.
    pub(crate) fn without_effect(mut self) -> Self {
        self.may_have_happened = false;
        self
    }

    /// Sets the charge of the failed request.
    pub(crate) fn with_charge(mut self, charge: f64) -> Self {
        self.charge = charge;
        self
    }

    pub(crate) fn after_attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// What the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the write may have been executed although the call failed, because only its response was lost.
    #[must_use]
    pub fn may_have_happened(&self) -> bool {
        self.may_have_happened
    }

    /// The index of the failed operation in a transactional batch.
    #[must_use]
    pub fn failed_operation(&self) -> Option<usize> {
        self.failed_operation
    }

    /// Request units of the failed request: reads of missing items and refused writes are charged, too. Zero when the
    /// account did not return the charge.
    #[must_use]
    pub fn charge(&self) -> f64 {
        self.charge
    }

    /// Number of attempts.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.attempts
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        match self.attempts {
            0 | 1 => Ok(()),
            attempts => write!(formatter, " (after {attempts} attempts)"),
        }
    }
}

impl std::error::Error for Error {}

impl From<model::ValidationError> for Error {
    fn from(invalid: model::ValidationError) -> Self {
        Self::bad_request(invalid.message())
    }
}
