//! A message for many receivers, encoded once in each protocol that any of them may speak.

use axum::extract::ws::Utf8Bytes;
use bytes::Bytes;

use crate::message::{Frame, HubProtocol};

/// A message for many receivers, encoded once in each protocol that any of them may speak.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EncodedMessage {
    json: Option<Utf8Bytes>,
    message_pack: Option<Bytes>,
}

impl EncodedMessage {
    pub(crate) fn set(&mut self, frame: Frame) {
        match frame {
            Frame::Text(text) => self.json = Some(text),
            Frame::Binary(bytes) => self.message_pack = Some(bytes),
        }
    }

    /// The frame for a connection. There is none if no connection of the protocol was open when the message was
    /// encoded: then the connection came after the message, and does not get it.
    pub(crate) fn frame(&self, protocol: HubProtocol) -> Option<Frame> {
        match protocol {
            HubProtocol::Json => self.json.clone().map(Frame::Text),
            HubProtocol::MessagePack => self.message_pack.clone().map(Frame::Binary),
        }
    }
}
