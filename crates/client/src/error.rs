//! Why a call failed, by what the caller can do about it; the same list in every place.
//!
//! Owns the kinds and the sentences. Does not own how a place comes to a kind: each place has its one table.

use std::fmt;
use std::time::Duration;

/// Result of a call.
pub type Result<T> = std::result::Result<T, Error>;

/// A failed call.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
    outcome: Outcome,
    failed_operation: Option<usize>,
    attempts: u32,
    charge: f64,
}

/// What the caller can do. The list is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The item, container or database does not exist.
    NotFound,
    /// The id or a unique key is taken. Choose another or replace.
    Conflict,
    /// The etag or the condition of a patch does not hold. Read again and decide again.
    Precondition,
    /// Throughput is spent. Retry after the delay; the retry policy has done so already.
    Throttled {
        /// How long to wait, if the account said so.
        delay: Option<Duration>,
    },
    /// The item, the batch or the logical partition is larger than the service takes.
    TooLarge,
    /// The call breaks a rule. Fix it; nothing was written.
    BadRequest,
    /// The credential is wrong or may not do this.
    Unauthorized,
    /// The account cannot answer now. See [`Error::may_have_happened`] before a write is repeated.
    Unavailable,
    /// This place does not offer the call. The crate's documentation lists them.
    Unsupported,
    /// The answer does not fit the type it is read into, or contradicts itself.
    Unexpected,
}

/// What is known about a write that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    NotApplied,
    Unknown,
}

impl Error {
    /// An error after which nothing was written.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
            outcome: Outcome::NotApplied,
            failed_operation: None,
            attempts: 1,
            charge: 0.0,
        }
    }

    /// The account cannot answer, and whether a write was done is not known.
    pub(crate) fn unknown_outcome(message: impl Into<String>) -> Self {
        Self { outcome: Outcome::Unknown, ..Self::new(ErrorKind::Unavailable, message) }
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

    pub(crate) fn with_source(
        mut self,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// The operation of a batch that made it fail.
    pub(crate) fn at_operation(mut self, index: usize) -> Self {
        self.failed_operation = Some(index);
        self
    }

    /// The same, of a call that could not have written anything.
    pub(crate) fn without_effect(mut self) -> Self {
        self.outcome = Outcome::NotApplied;
        self
    }

    /// What the refusal cost.
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

    /// Whether a write may have been done although it failed: the answer was lost, not the request.
    #[must_use]
    pub fn may_have_happened(&self) -> bool {
        self.outcome == Outcome::Unknown
    }

    /// The place in a transactional batch of the operation that failed.
    #[must_use]
    pub fn failed_operation(&self) -> Option<usize> {
        self.failed_operation
    }

    /// Request units of the request that failed: a point read that finds nothing and a write that is refused have a
    /// price too. Zero when the account did not say.
    #[must_use]
    pub fn charge(&self) -> f64 {
        self.charge
    }

    /// How often the call was tried.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.attempts
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        if let Some(source) = &self.source {
            write!(formatter, ": {source}")?;
        }
        match self.attempts {
            0 | 1 => Ok(()),
            attempts => write!(formatter, " (after {attempts} attempts)"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as &(dyn std::error::Error + 'static))
    }
}

impl From<model::ValidationError> for Error {
    fn from(invalid: model::ValidationError) -> Self {
        Self::bad_request(invalid.message())
    }
}
