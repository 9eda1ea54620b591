//! Why a connection ends, and what the client and the hub hear about it.

use crate::error::{HubError, ProtocolError};

/// Why a connection ended, as the hub receives it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DisconnectReason {
    /// The client closed the connection.
    Closed,
    /// The client closed the connection and gave an error.
    ClosedWithError(String),
    /// The transport broke.
    Lost,
    /// The client sent nothing for longer than it may.
    TimedOut,
    /// The client broke the protocol.
    ProtocolViolated(String),
    /// The client read more slowly than its messages came.
    TooSlow,
    /// The hub ended the connection.
    Aborted,
    /// The server stops.
    ShutDown,
}

/// Why a connection ends.
#[derive(Debug)]
pub(crate) enum CloseCause {
    ClientClosed(Option<String>),
    TransportClosed,
    TransportLost,
    TimedOut,
    Violation(ProtocolError),
    /// The callback for new connections failed.
    Refused(HubError),
    TooSlow,
    Aborted,
    ShutDown,
}

impl CloseCause {
    pub(super) fn reason(&self) -> DisconnectReason {
        match self {
            Self::ClientClosed(None) | Self::TransportClosed => DisconnectReason::Closed,
            Self::ClientClosed(Some(error)) => DisconnectReason::ClosedWithError(error.clone()),
            Self::TransportLost => DisconnectReason::Lost,
            Self::TimedOut => DisconnectReason::TimedOut,
            Self::Violation(error) => DisconnectReason::ProtocolViolated(error.0.clone()),
            Self::TooSlow => DisconnectReason::TooSlow,
            Self::Refused(_) | Self::Aborted => DisconnectReason::Aborted,
            Self::ShutDown => DisconnectReason::ShutDown,
        }
    }

    /// Whether the client may connect again by itself.
    pub(super) fn allows_reconnect(&self) -> bool {
        match self {
            Self::ClientClosed(_) | Self::Refused(_) | Self::Aborted => false,
            Self::TransportClosed
            | Self::TransportLost
            | Self::TimedOut
            | Self::Violation(_)
            | Self::TooSlow
            | Self::ShutDown => true,
        }
    }

    /// The error of the close message, in the words of the official server.
    pub(super) fn error(&self, detailed: bool) -> Option<String> {
        let what = "Connection closed with an error.";
        let with = |detail: &str| match detailed {
            true => format!("{what} {detail}"),
            false => what.to_owned(),
        };
        match self {
            Self::TimedOut => Some(with(
                "OperationCanceledException: Client hasn't sent a message/ping within the configured \
                 ClientTimeoutInterval.",
            )),
            Self::Violation(error) => Some(with(&format!("InvalidDataException: {}", error.0))),
            Self::TooSlow => {
                Some(with("The client reads more slowly than its messages come; connect again."))
            }
            Self::Refused(error) => Some(error.for_client(what, detailed)),
            Self::ClientClosed(_)
            | Self::TransportClosed
            | Self::TransportLost
            | Self::Aborted
            | Self::ShutDown => None,
        }
    }
}
