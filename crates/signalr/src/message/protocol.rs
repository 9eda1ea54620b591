//! The two encodings behind one interface.
//!
//! Does not own the bytes of either; see `json.rs` and `message_pack.rs`.

use std::ops::Range;

use serde::Serialize;

use super::frame::Frame;
use super::incoming::ClientMessage;
use super::{json, message_pack};
use crate::error::{HubError, HubErrorKind, ProtocolError};

/// The encoding of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HubProtocol {
    Json,
    MessagePack,
}

/// How an invocation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallAnswer {
    /// It ended without a value.
    Void,
    /// A value in the encoding of the connection.
    Value(Vec<u8>),
    Error(String),
}

impl HubProtocol {
    pub(crate) fn parse_name(name: &str) -> Option<Self> {
        // The official server compares names without case.
        [Self::Json, Self::MessagePack]
            .into_iter()
            .find(|protocol| protocol.name().eq_ignore_ascii_case(name))
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::MessagePack => "messagepack",
        }
    }

    pub(crate) fn is_binary(self) -> bool {
        self == Self::MessagePack
    }

    /// A value in this encoding.
    pub(crate) fn value<T: Serialize + ?Sized>(self, value: &T) -> Result<Vec<u8>, HubError> {
        match self {
            Self::Json => serde_json::to_vec(value).map_err(|error| error.to_string()),
            Self::MessagePack => message_pack::encode_value(value),
        }
        .map_err(|reason| {
            let message = format!("a value cannot be written as {}: {reason}", self.name());
            HubError::new(HubErrorKind::Unencodable, message)
        })
    }

    /// Finds the first whole message in `bytes`: where its content is, and how many bytes it takes with its frame.
    pub(crate) fn split(
        self,
        bytes: &[u8],
        bytes_max: usize,
    ) -> Result<Option<(Range<usize>, usize)>, ProtocolError> {
        match self {
            Self::Json => json::split(bytes, bytes_max),
            Self::MessagePack => message_pack::split(bytes, bytes_max),
        }
    }

    pub(crate) fn parse(self, content: &[u8]) -> Result<ClientMessage<'_>, ProtocolError> {
        match self {
            Self::Json => json::parse(content),
            Self::MessagePack => message_pack::parse(content),
        }
    }

    /// `arguments` is an array in this encoding.
    pub(crate) fn invocation(self, id: Option<&str>, target: &str, arguments: &[u8]) -> Frame {
        match self {
            Self::Json => json::invocation(id, target, arguments),
            Self::MessagePack => message_pack::invocation(id, target, arguments),
        }
    }

    pub(crate) fn stream_item(self, id: &str, item: &[u8]) -> Frame {
        match self {
            Self::Json => json::stream_item(id, item),
            Self::MessagePack => message_pack::stream_item(id, item),
        }
    }

    pub(crate) fn completion(self, id: &str, outcome: &CallAnswer) -> Frame {
        match self {
            Self::Json => json::completion(id, outcome),
            Self::MessagePack => message_pack::completion(id, outcome),
        }
    }

    pub(crate) fn ping(self) -> Frame {
        match self {
            Self::Json => json::ping(),
            Self::MessagePack => message_pack::ping(),
        }
    }

    pub(crate) fn close(self, error: Option<&str>, allow_reconnect: bool) -> Frame {
        match self {
            Self::Json => json::close(error, allow_reconnect),
            Self::MessagePack => message_pack::close(error, allow_reconnect),
        }
    }

    pub(crate) fn ack(self, sequence_id: i64) -> Frame {
        match self {
            Self::Json => json::sequence_number(8, sequence_id),
            Self::MessagePack => message_pack::sequence_number(8, sequence_id),
        }
    }

    pub(crate) fn sequence(self, sequence_id: i64) -> Frame {
        match self {
            Self::Json => json::sequence_number(9, sequence_id),
            Self::MessagePack => message_pack::sequence_number(9, sequence_id),
        }
    }
}
