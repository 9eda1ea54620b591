//! Why a storage call failed, by what the caller can do about it.
//!
//! Owns the closed list of kinds. Does not own status codes: the engine maps kinds to its own errors.

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

/// The kind of an error, by what the caller can do.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The arguments of the call are invalid (a key too long, a stamp outside its value). Fix the caller.
    Invalid,
    /// The store cannot be opened: it is locked, foreign, in another format or incomplete. The text says what to do.
    CannotOpen,
    /// The stored bytes are damaged. Restore from a backup.
    Corrupt,
    /// The device failed or is full. A write was not acknowledged: after a repair it exists or not. The store refuses
    /// writes until the device accepts them again.
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

    /// A call with invalid arguments.
    #[must_use]
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// An error of any kind.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// Adds the error that caused this one.
    #[must_use]
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The message followed by those of all sources, separated by colons.
    ///
    /// `Display` prints only the message, as errors with a source should; this is for logs and for callers that cannot
    /// keep the source.
    #[must_use]
    pub fn full_message(&self) -> String {
        let mut text = self.message.clone();
        let mut source = std::error::Error::source(self);
        while let Some(error) = source {
            text.push_str(": ");
            text.push_str(&error.to_string());
            source = error.source();
        }
        text
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }
}

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
