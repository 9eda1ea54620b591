//! One encoded message, ready for every connection that speaks its protocol.
//!
//! A frame is cheap to clone: a broadcast encodes once and hands the same bytes to every receiver.

use axum::extract::ws::{Message, Utf8Bytes};
use bytes::Bytes;

/// One encoded message with its terminator or length prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// UTF-8, so that a WebSocket sends it as text.
    Text(Utf8Bytes),
    Binary(Bytes),
}

impl Frame {
    pub(crate) fn len(&self) -> usize {
        self.as_bytes().len()
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Binary(bytes) => bytes,
        }
    }

    pub(crate) fn into_message(self) -> Message {
        match self {
            Self::Text(text) => Message::Text(text),
            Self::Binary(bytes) => Message::Binary(bytes),
        }
    }
}
