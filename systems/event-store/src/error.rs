//! Errors of the event store, by what the caller can do about them.
//!
//! Owns the closed list of kinds and the messages. Does not own status codes (`http`).

use std::fmt;

use serde::Serialize;

use crate::domain::{EventTag, SortableUniqueId};
use crate::service_id::ServiceIdError;

/// Result of a call to the event store.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the event store.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    conflicts: Vec<TagConflict>,
    service_id: Option<ServiceIdError>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What the caller can do. The list is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The input is not valid; nothing was stored.
    Invalid,
    /// A tag breaks the syntax `group:content`; nothing was stored.
    InvalidTag,
    /// There is no valid tenant; nothing was read or stored.
    ServiceId,
    /// It does not exist.
    NotFound,
    /// The condition of an append does not hold any more; nothing was stored. Read and decide again.
    Conflict,
    /// An event with this id or key exists, with other content; nothing was stored.
    AlreadyExists,
    /// It is larger than the store takes; nothing was stored.
    TooLarge,
    /// It did not happen within the given time.
    Timeout,
    /// The storage cannot answer now. Try again.
    Unavailable,
    /// This storage does not offer it.
    Unsupported,
    /// Stored data contradicts itself; nothing was overwritten.
    Corrupt,
    /// A bug of this program.
    Internal,
}

/// One tag whose version is not the expected one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct TagConflict {
    /// The tag.
    #[schema(value_type = String)]
    pub tag: EventTag,
    /// The version that the writer had seen; none for a tag that had to be empty.
    #[schema(value_type = Option<String>)]
    pub expected: Option<SortableUniqueId>,
    /// The version it has.
    #[schema(value_type = Option<String>)]
    pub actual: Option<SortableUniqueId>,
}

impl Error {
    /// An error with a message for people. Domains on the store use it for their own refusals.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, message, conflicts: Vec::new(), service_id: None, source: None }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unavailable, message)
    }

    pub(crate) fn corrupt(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Corrupt, message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// The versions of these tags are not the expected ones.
    pub(crate) fn tag_conflict(conflicts: Vec<TagConflict>) -> Self {
        let tags: Vec<_> = conflicts.iter().map(|conflict| conflict.tag.as_str()).collect();
        let message = format!(
            "others have appended to {} since it was read; read it again and decide again",
            tags.join(", ")
        );
        Self { conflicts, ..Self::new(ErrorKind::Conflict, message) }
    }

    /// An event matches the query of a condition.
    pub(crate) fn query_conflict(event: &str) -> Self {
        let message = format!(
            "the event {event} matches 'failIfEventsMatch'; read the query again and decide again"
        );
        Self::new(ErrorKind::Conflict, message)
    }

    pub(crate) fn caused_by(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The tags whose versions are not the expected ones.
    #[must_use]
    pub fn conflicts(&self) -> &[TagConflict] {
        &self.conflicts
    }

    /// Why there is no tenant.
    #[must_use]
    pub fn service_id_error(&self) -> Option<&ServiceIdError> {
        self.service_id.as_ref()
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

impl From<ServiceIdError> for Error {
    fn from(error: ServiceIdError) -> Self {
        let message = error.to_string();
        Self { service_id: Some(error), ..Self::new(ErrorKind::ServiceId, message) }
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
            client::ErrorKind::TooLarge => ErrorKind::TooLarge,
            client::ErrorKind::BadRequest => ErrorKind::Invalid,
            client::ErrorKind::Unsupported => ErrorKind::Unsupported,
            client::ErrorKind::Unauthorized | client::ErrorKind::Unexpected => ErrorKind::Internal,
        };
        Self::new(kind, error.to_string()).caused_by(error)
    }
}
