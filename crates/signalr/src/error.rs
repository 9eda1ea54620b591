//! The one error of this crate, and how much of it a client may read.
//!
//! Does not own violations of the protocol by a client: those are [`ProtocolError`], which end a connection and never
//! reach the code of a hub.

use std::error::Error as StdError;
use std::fmt;

/// What went wrong in a hub or in a send, by what the caller can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HubErrorKind {
    /// A hub method refused the call; the client reads the message.
    Refused,
    /// A hub method failed; the client reads only that it failed, unless detailed errors are on.
    Internal,
    /// An argument or a result cannot be written in the protocol of a connection.
    Unencodable,
    /// The connection is not open, here or on another instance.
    NotConnected,
    /// The client answered an invocation by the server with an error.
    ClientFailed,
    /// The client did not answer an invocation by the server in time.
    NoAnswer,
    /// The backplane did not take the message.
    Backplane,
}

/// An error of a hub method or of a send.
#[derive(Debug)]
pub struct HubError {
    kind: HubErrorKind,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl HubError {
    /// An error of `kind` with its message.
    pub fn new(kind: HubErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// A refusal whose message the client reads.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(HubErrorKind::Refused, message)
    }

    /// A failure whose message stays on the server.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(HubErrorKind::Internal, message)
    }

    /// The same error with its cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What went wrong, for a `match`.
    pub fn kind(&self) -> HubErrorKind {
        self.kind
    }

    /// The message, without the cause.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What the client reads: the official server names refusals as `HubException` and hides everything else.
    pub(crate) fn for_client(&self, what: &str, detailed: bool) -> String {
        match (self.kind, detailed) {
            (HubErrorKind::Refused, _) => format!("{what} HubException: {}", self.message),
            (kind, true) => format!("{what} {kind:?}: {}", self.message),
            (_, false) => what.to_owned(),
        }
    }
}

impl fmt::Display for HubError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl StdError for HubError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// A client broke the protocol; the text is the one of the official server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProtocolError(pub(crate) String);

impl ProtocolError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    pub(crate) fn oversize(bytes_max: usize) -> Self {
        Self(format!(
            "The maximum message size of {bytes_max}B was exceeded. \
             The message size can be configured in AddHubOptions."
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_reads_a_refusal_and_not_a_failure() {
        let what = "An unexpected error occurred invoking 'Send' on the server.";
        let refused = HubError::refused("the room is closed");
        assert_eq!(
            refused.for_client(what, false),
            format!("{what} HubException: the room is closed")
        );
        let internal = HubError::internal("no route to the store");
        assert_eq!(internal.for_client(what, false), what);
        assert_eq!(
            internal.for_client(what, true),
            format!("{what} Internal: no route to the store")
        );
    }
}
