//! Messages of the hub protocol as values and as bytes, in JSON and in MessagePack.
//!
//! Does not own what a message causes; see `connection`.

mod arguments;
mod frame;
mod handshake;
mod incoming;
mod json;
mod message_pack;
mod protocol;

pub use arguments::HubArguments;
pub(crate) use arguments::ProtocolChoice;
pub(crate) use frame::Frame;
pub(crate) use handshake::{HandshakeRequest, handshake_answer, parse_handshake};
pub(crate) use incoming::{ClientMessage, ClientOutcome, RawItem};
pub(crate) use message_pack::encode_value as encode_message_pack;
pub(crate) use protocol::{CallAnswer, HubProtocol};
