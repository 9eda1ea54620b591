//! Errors of operations, by what the caller can do about them.
//!
//! Owns the closed list of kinds and the messages. Does not own status codes: `gateway` maps kinds to them.

use std::error::Error as _;
use std::fmt;

use model::ImmutableProperty;

/// Result of an operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failed operation.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
    // An empty list does not allocate; only queries fill it.
    query_errors: Vec<query::QueryError>,
    charge: model::RequestCharge,
    script_log: Option<Box<str>>,
}

/// What the caller can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The input breaks a rule. Fix it; nothing was written.
    Invalid,
    /// The partition key is missing, incomplete or differs from the item's. Fix the request.
    PartitionKeyMismatch,
    /// The item or another addressed resource does not exist.
    NotFound,
    /// The database or container does not exist.
    OwnerNotFound,
    /// The id or a unique key exists already. Choose another, or replace.
    Conflict,
    /// A precondition does not hold. Read again and decide again.
    PreconditionFailed,
    /// The item, the batch or the page exceeds a limit of the service.
    TooLarge,
    /// This property of the resource can never be changed.
    Immutable(ImmutableProperty),
    /// The session token is ahead of this account. Retry, or read without it.
    SessionNotAvailable,
    /// The physical partition was split or merged away. Ask for the partition map again.
    PartitionGone,
    /// A continuation token is invalid, expired or of another request. Start over without it.
    ContinuationRefused,
    /// The query is invalid, or failed for one of its values. Fix the query; [`Error::query_errors`] has every reason.
    BadQuery,
    /// The script threw, or is not a function. Fix the script or its arguments; nothing it did is kept.
    ScriptFailed {
        /// The number of the error that it threw, if it has one.
        number: Option<u16>,
    },
    /// The query exceeded its time limit. Add filters, or allow more time.
    OutOfTime,
    /// Throughput is spent. Retry after the delay.
    Throttled {
        /// How long to wait.
        retry_after_ms: u64,
    },
    /// The operation is not supported.
    Unsupported,
    /// The store cannot be used now: full or broken device, closed engine. The message says what to do.
    Unavailable,
    /// Stored data contradicts itself. Run `verify`; restore from a backup.
    Corrupt,
}

impl Error {
    /// An error of the given kind.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
            query_errors: Vec::new(),
            charge: model::RequestCharge::ZERO,
            script_log: None,
        }
    }

    /// The errors of a query.
    pub(crate) fn of_query(errors: Vec<query::QueryError>) -> Self {
        let words: Vec<String> = errors.iter().map(ToString::to_string).collect();
        Self { query_errors: errors, ..Self::new(ErrorKind::BadQuery, words.join("; ")) }
    }

    /// Every error of a query, with code and location; empty for other errors.
    #[must_use]
    pub fn query_errors(&self) -> &[query::QueryError] {
        &self.query_errors
    }

    /// The errors of a query as the service writes them; none for other errors.
    #[must_use]
    pub fn query_errors_json(&self) -> Option<model::Json> {
        (!self.query_errors.is_empty()).then(|| query::to_json(&self.query_errors))
    }

    /// The number of the error with which a query failed at runtime; none for other errors.
    #[must_use]
    pub fn query_error_number(&self) -> Option<u16> {
        self.query_errors.iter().find_map(|error| match error.code {
            query::QueryErrorCode::Number(number) => Some(number),
            _ => None,
        })
    }

    /// The same error with the charge of the attempt.
    #[must_use]
    pub fn with_charge(self, charge: model::RequestCharge) -> Self {
        Self { charge, ..self }
    }

    /// The charge of the attempt; zero for most errors.
    #[must_use]
    pub fn charge(&self) -> model::RequestCharge {
        self.charge
    }

    /// The same error with what the script had logged before.
    #[must_use]
    pub(crate) fn with_script_log(self, log: &str) -> Self {
        let script_log = (!log.is_empty()).then(|| log.into());
        Self { script_log, ..self }
    }

    /// What a failed script had logged; none unless the request asks for it.
    #[must_use]
    pub fn script_log(&self) -> Option<&str> {
        self.script_log.as_deref()
    }

    /// What the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message, without those of its sources.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The message and those of all its sources, for callers that pass on one text.
    #[must_use]
    pub fn full_message(&self) -> String {
        let mut text = self.message.clone();
        let mut source = self.source();
        while let Some(error) = source {
            let message = error.to_string();
            // Some errors of others print their own source; it is not repeated.
            if !text.ends_with(&message) {
                text.push_str(": ");
                text.push_str(&message);
            }
            source = error.source();
        }
        text
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    pub(crate) fn corrupt(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Corrupt, message)
    }

    /// A parent resource that does not exist.
    pub(crate) fn owner_not_found(kind: &str, name: impl fmt::Display) -> Self {
        Self::new(
            ErrorKind::OwnerNotFound,
            format!("Resource Not Found. There is no {kind} '{name}'."),
        )
    }

    pub(crate) fn closed() -> Self {
        Self::new(ErrorKind::Unavailable, "the engine is closed; open it again")
    }

    /// A copy for another waiter of a group that failed together. A source cannot be cloned, so that its text becomes
    /// part of the message.
    pub(crate) fn repeat(&self) -> Self {
        Self::new(self.kind, self.full_message())
    }
}

/// Prints the message alone. Whoever prints an error also prints its sources, or calls [`Error::full_message`].
impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as &(dyn std::error::Error + 'static))
    }
}

impl From<model::ValidationError> for Error {
    fn from(invalid: model::ValidationError) -> Self {
        Self::new(ErrorKind::Invalid, invalid.message())
    }
}

impl From<model::PatchError> for Error {
    fn from(error: model::PatchError) -> Self {
        Self::new(ErrorKind::Invalid, error.message())
    }
}

impl From<storage::Error> for Error {
    fn from(error: storage::Error) -> Self {
        let kind = match error.kind() {
            storage::ErrorKind::Corrupt => ErrorKind::Corrupt,
            storage::ErrorKind::Invalid => ErrorKind::Invalid,
            // A guard fails only if somebody else writes to the store. Callers cannot repair that; opening again may.
            storage::ErrorKind::GuardFailed { .. }
            | storage::ErrorKind::CannotOpen
            | storage::ErrorKind::Device
            | storage::ErrorKind::Closed => ErrorKind::Unavailable,
        };
        Self { source: Some(Box::new(error)), ..Self::new(kind, "the store failed") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_prints_the_message_alone_and_full_message_prints_every_source_once() {
        let device = std::io::Error::other("device full");
        let store = storage::Error::new(storage::ErrorKind::Device, "writing failed");
        let error = Error::from(store.with_source(device));
        assert_eq!(error.to_string(), "the store failed");
        assert_eq!(error.full_message(), "the store failed: writing failed: device full");
    }
}
