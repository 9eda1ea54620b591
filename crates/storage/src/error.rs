//! Why a storage call failed, by what the caller can do about it.
//!
//! Owns the closed list of kinds. Does not own status codes: `engine` maps kinds to its own errors.

use std::fmt;

use crate::{Shard, Space, StorageKey};

/// Result of a storage call.
pub type Result<T> = std::result::Result<T, Error>;

/// A failed storage call.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What the caller can do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A guard did not hold; nothing was written. Read again and decide again.
    GuardFailed {
        /// The shard of the commit.
        shard: Shard,
        /// The space of the guarded key.
        space: Space,
        /// The guarded key.
        key: StorageKey,
    },
    /// The call itself makes no sense (a key too long, a stamp outside its value). Fix the caller.
    Refused,
    /// The store cannot be opened as it is: locked, foreign, of another format, or incomplete. The text says what to
    /// do.
    CannotOpen,
    /// The stored bytes contradict themselves. Restore from a backup.
    Corrupt,
    /// The device failed or is full. The write was not acknowledged; the store refuses writes until it is opened again.
    Device,
    /// The store is closed.
    Closed,
}

impl Error {
    /// A failed guard.
    #[must_use]
    pub fn guard_failed(shard: Shard, space: Space, key: StorageKey) -> Self {
        let message = format!(
            "a guard on a key of {} bytes in space {} of shard {} did not hold; nothing was written",
            key.len(),
            space.name,
            shard.0
        );
        Self { kind: ErrorKind::GuardFailed { shard, space, key }, message, source: None }
    }

    /// A call that makes no sense.
    #[must_use]
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Refused, message)
    }

    /// An error of any kind.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// The same error with what caused it.
    #[must_use]
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What the caller can do.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        match &self.source {
            Some(source) => write!(formatter, ": {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as &(dyn std::error::Error + 'static))
    }
}
