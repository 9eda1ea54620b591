//! A message of a client, its arguments still in the bytes that arrived.
//!
//! Does not own parsing, which each protocol does, nor binding arguments to the parameters of a method.

use serde::de::DeserializeOwned;

use super::message_pack::decode_value;

/// A message of a client.
#[derive(Debug)]
pub(crate) enum ClientMessage<'a> {
    Invocation {
        /// None: the client waits for no answer.
        invocation_id: Option<String>,
        target: String,
        arguments: Vec<RawItem<'a>>,
        stream_ids: Vec<String>,
        /// Whether the client expects a stream of results.
        streaming: bool,
    },
    StreamItem {
        stream_id: String,
        item: RawItem<'a>,
    },
    Completion {
        invocation_id: String,
        outcome: ClientOutcome<'a>,
    },
    CancelInvocation {
        invocation_id: String,
    },
    Ping,
    Close {
        error: Option<String>,
    },
    Ack {
        sequence_id: i64,
    },
    Sequence {
        sequence_id: i64,
    },
    /// A type of a later version of the protocol.
    Unknown,
}

impl ClientMessage<'_> {
    /// Whether stateful reconnect numbers the message.
    pub(crate) fn is_numbered(&self) -> bool {
        match self {
            Self::Invocation { .. }
            | Self::StreamItem { .. }
            | Self::Completion { .. }
            | Self::CancelInvocation { .. } => true,
            Self::Ping
            | Self::Close { .. }
            | Self::Ack { .. }
            | Self::Sequence { .. }
            | Self::Unknown => false,
        }
    }
}

/// How a client ended an upload stream or answered an invocation.
#[derive(Debug)]
pub(crate) enum ClientOutcome<'a> {
    Void,
    Result(RawItem<'a>),
    Error(String),
}

/// One value in the bytes that arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RawItem<'a> {
    Json(&'a str),
    MessagePack(&'a [u8]),
}

impl RawItem<'_> {
    /// The value as a Rust type, or why it is none.
    pub(crate) fn decode<T: DeserializeOwned>(self) -> Result<T, String> {
        match self {
            Self::Json(text) => serde_json::from_str(text).map_err(|error| error.to_string()),
            Self::MessagePack(bytes) => decode_value(bytes),
        }
    }
}
