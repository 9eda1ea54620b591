//! The MessagePack encoding: one array per message, each behind its length.
//!
//! Values of arguments and results are written as maps by field name, which is what the official clients expect, and
//! with the textual forms of ids and times that JSON has.

use std::ops::Range;

use rmp::Marker;
use rmp::decode::{self, RmpRead as _};
use rmp::encode;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::frame::Frame;
use super::incoming::{ClientMessage, ClientOutcome, RawItem};
use super::protocol::CallAnswer;
use crate::error::ProtocolError;

/// Writing to memory does not fail.
const INFALLIBLE: &str = "a vector grows as long as there is memory";
/// The longest length prefix: five groups of seven bits.
const PREFIX_BYTES_MAX: usize = 5;

pub(crate) fn encode_value<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut serializer =
        rmp_serde::Serializer::new(&mut bytes).with_struct_map().with_human_readable();
    value.serialize(&mut serializer).map_err(|error| error.to_string())?;
    Ok(bytes)
}

pub(super) fn decode_value<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let mut deserializer = rmp_serde::Deserializer::new(bytes).with_human_readable();
    T::deserialize(&mut deserializer).map_err(|error| error.to_string())
}

pub(super) fn split(
    bytes: &[u8],
    bytes_max: usize,
) -> Result<Option<(Range<usize>, usize)>, ProtocolError> {
    let mut length = 0_usize;
    for (index, byte) in bytes.iter().enumerate().take(PREFIX_BYTES_MAX) {
        // The fifth group has room for four bits of a 31-bit length.
        if index + 1 == PREFIX_BYTES_MAX && *byte > 7 {
            return Err(ProtocolError::new("Messages over 2GB in size are not supported."));
        }
        length |= usize::from(*byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            let start = index + 1;
            let end = start + length;
            return match end {
                _ if end > bytes_max => Err(ProtocolError::oversize(bytes_max)),
                _ if end > bytes.len() => Ok(None),
                _ => Ok(Some((start..end, end))),
            };
        }
    }
    Ok(None)
}

pub(super) fn parse(content: &[u8]) -> Result<ClientMessage<'_>, ProtocolError> {
    let mut reader = PackReader { rest: content };
    let items = reader.array("message")?;
    match reader.integer("messageType", "Int32")? {
        kind @ (1 | 4) => invocation_message(&mut reader, items, kind == 4),
        2 => {
            reader.skip_headers()?;
            let stream_id = reader.required_id("StreamItem")?;
            Ok(ClientMessage::StreamItem { stream_id, item: reader.item("item")? })
        }
        3 => completion_message(&mut reader),
        5 => {
            reader.skip_headers()?;
            let invocation_id = reader.required_id("CancelInvocation")?;
            Ok(ClientMessage::CancelInvocation { invocation_id })
        }
        6 => Ok(ClientMessage::Ping),
        7 => Ok(ClientMessage::Close { error: reader.text("error")? }),
        8 => Ok(ClientMessage::Ack { sequence_id: reader.integer("sequenceId", "Int64")? }),
        9 => Ok(ClientMessage::Sequence { sequence_id: reader.integer("sequenceId", "Int64")? }),
        _ => Ok(ClientMessage::Unknown),
    }
}

fn invocation_message<'a>(
    reader: &mut PackReader<'a>,
    items: usize,
    streaming: bool,
) -> Result<ClientMessage<'a>, ProtocolError> {
    reader.skip_headers()?;
    let invocation_id = match streaming {
        true => Some(reader.required_id("StreamInvocation")?),
        false => reader.text("invocationId")?.filter(|id| !id.is_empty()),
    };
    let name = if streaming { "StreamInvocation" } else { "Invocation" };
    let target = reader.text("target")?.filter(|target| !target.is_empty());
    let target = target.ok_or_else(|| empty(&format!("target for {name} message")))?;
    let count = reader.array("arguments")?;
    let arguments =
        (0..count).map(|_| reader.item("argument")).collect::<Result<Vec<_>, ProtocolError>>()?;
    let mut stream_ids = Vec::new();
    // Early clients sent no ids of streams.
    if items > 5 {
        for _ in 0..reader.array("streamIds")? {
            let id = reader.text("streamIds")?.filter(|id| !id.is_empty());
            stream_ids.push(id.ok_or_else(|| empty("value in streamIds received"))?);
        }
    }
    Ok(ClientMessage::Invocation { invocation_id, target, arguments, stream_ids, streaming })
}

fn completion_message<'a>(reader: &mut PackReader<'a>) -> Result<ClientMessage<'a>, ProtocolError> {
    reader.skip_headers()?;
    let invocation_id = reader.required_id("Completion")?;
    let outcome = match reader.integer("resultKind", "Int32")? {
        1 => ClientOutcome::Error(reader.text("error")?.unwrap_or_default()),
        2 => ClientOutcome::Void,
        3 => ClientOutcome::Result(reader.item("argument")?),
        _ => return Err(ProtocolError::new("Invalid invocation result kind.")),
    };
    Ok(ClientMessage::Completion { invocation_id, outcome })
}

/// Reads one message from front to back.
struct PackReader<'a> {
    rest: &'a [u8],
}

impl<'a> PackReader<'a> {
    fn array(&mut self, field: &str) -> Result<usize, ProtocolError> {
        let length = decode::read_array_len(&mut self.rest);
        length
            .map(|length| length as usize)
            .map_err(|_| ProtocolError::new(format!("Reading array length for '{field}' failed.")))
    }

    fn integer(&mut self, field: &str, kind: &str) -> Result<i64, ProtocolError> {
        decode::read_int(&mut self.rest)
            .map_err(|_| ProtocolError::new(format!("Reading '{field}' as {kind} failed.")))
    }

    /// A string, or nothing for nil.
    fn text(&mut self, field: &str) -> Result<Option<String>, ProtocolError> {
        let failed = || ProtocolError::new(format!("Reading '{field}' as String failed."));
        if self.rest.first() == Some(&Marker::Null.to_u8()) {
            self.rest = self.rest.get(1..).unwrap_or_default();
            return Ok(None);
        }
        let length = decode::read_str_len(&mut self.rest).map_err(|_| failed())? as usize;
        let bytes = self.rest.get(..length).ok_or_else(failed)?;
        self.rest = self.rest.get(length..).unwrap_or_default();
        std::str::from_utf8(bytes).map(|text| Some(text.to_owned())).map_err(|_| failed())
    }

    fn required_id(&mut self, message: &str) -> Result<String, ProtocolError> {
        let id = self.text("invocationId")?.filter(|id| !id.is_empty());
        id.ok_or_else(|| empty(&format!("invocation ID for {message} message")))
    }

    /// One value of any kind, unread.
    fn item(&mut self, field: &str) -> Result<RawItem<'a>, ProtocolError> {
        let failed = || ProtocolError::new(format!("Deserializing object for '{field}' failed."));
        let length = skip_value(self.rest).ok_or_else(failed)?;
        let value = self.rest.get(..length).ok_or_else(failed)?;
        self.rest = self.rest.get(length..).unwrap_or_default();
        Ok(RawItem::MessagePack(value))
    }

    fn skip_headers(&mut self) -> Result<(), ProtocolError> {
        let failed = |_| ProtocolError::new("Reading map length for 'headers' failed.");
        let length = decode::read_map_len(&mut self.rest).map_err(failed)?;
        for index in 0..length {
            for part in ["Key", "Value"] {
                let field = format!("headers[{index}].{part}");
                let text = self.text(&field)?.filter(|text| !text.is_empty());
                text.ok_or_else(|| empty(&format!("{} in header", part.to_lowercase())))?;
            }
        }
        Ok(())
    }
}

fn empty(what: &str) -> ProtocolError {
    ProtocolError::new(format!("Null or empty {what}."))
}

/// How many bytes the first value takes, or nothing if it is cut off. A counter replaces recursion, so that nesting
/// costs no stack.
fn skip_value(bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes;
    let mut values = 1_u64;
    while values > 0 {
        values -= 1;
        let marker = Marker::from_u8(rest.read_u8().ok()?);
        let (payload, children) = match marker {
            Marker::FixPos(_) | Marker::FixNeg(_) | Marker::Null | Marker::True | Marker::False => {
                (0, 0)
            }
            Marker::U8 | Marker::I8 => (1, 0),
            Marker::U16 | Marker::I16 => (2, 0),
            Marker::U32 | Marker::I32 | Marker::F32 => (4, 0),
            Marker::U64 | Marker::I64 | Marker::F64 => (8, 0),
            Marker::FixStr(length) => (u64::from(length), 0),
            Marker::Str8 | Marker::Bin8 => (u64::from(rest.read_data_u8().ok()?), 0),
            Marker::Str16 | Marker::Bin16 => (u64::from(rest.read_data_u16().ok()?), 0),
            Marker::Str32 | Marker::Bin32 => (u64::from(rest.read_data_u32().ok()?), 0),
            Marker::FixExt1 => (2, 0),
            Marker::FixExt2 => (3, 0),
            Marker::FixExt4 => (5, 0),
            Marker::FixExt8 => (9, 0),
            Marker::FixExt16 => (17, 0),
            Marker::Ext8 => (u64::from(rest.read_data_u8().ok()?) + 1, 0),
            Marker::Ext16 => (u64::from(rest.read_data_u16().ok()?) + 1, 0),
            Marker::Ext32 => (u64::from(rest.read_data_u32().ok()?) + 1, 0),
            Marker::FixArray(length) => (0, u64::from(length)),
            Marker::Array16 => (0, u64::from(rest.read_data_u16().ok()?)),
            Marker::Array32 => (0, u64::from(rest.read_data_u32().ok()?)),
            Marker::FixMap(length) => (0, u64::from(length) * 2),
            Marker::Map16 => (0, u64::from(rest.read_data_u16().ok()?) * 2),
            Marker::Map32 => (0, u64::from(rest.read_data_u32().ok()?) * 2),
            Marker::Reserved => return None,
        };
        rest = rest.get(usize::try_from(payload).ok()?..)?;
        // Each value takes at least a byte, so more values than bytes can never come.
        values = values.checked_add(children).filter(|values| *values <= rest.len() as u64)?;
    }
    Some(bytes.len() - rest.len())
}

pub(super) fn invocation(id: Option<&str>, target: &str, arguments: &[u8]) -> Frame {
    let mut body = head(6, 1, true);
    match id {
        Some(id) => encode::write_str(&mut body, id).expect(INFALLIBLE),
        None => encode::write_nil(&mut body).expect(INFALLIBLE),
    }
    encode::write_str(&mut body, target).expect(INFALLIBLE);
    body.extend_from_slice(arguments);
    encode::write_array_len(&mut body, 0).expect(INFALLIBLE);
    finish(&body)
}

pub(super) fn stream_item(id: &str, item: &[u8]) -> Frame {
    let mut body = head(4, 2, true);
    encode::write_str(&mut body, id).expect(INFALLIBLE);
    body.extend_from_slice(item);
    finish(&body)
}

pub(super) fn completion(id: &str, outcome: &CallAnswer) -> Frame {
    let items = if *outcome == CallAnswer::Void { 4 } else { 5 };
    let mut body = head(items, 3, true);
    encode::write_str(&mut body, id).expect(INFALLIBLE);
    match outcome {
        CallAnswer::Error(error) => {
            body.push(1);
            encode::write_str(&mut body, error).expect(INFALLIBLE);
        }
        CallAnswer::Void => body.push(2),
        CallAnswer::Value(value) => {
            body.push(3);
            body.extend_from_slice(value);
        }
    }
    finish(&body)
}

pub(super) fn ping() -> Frame {
    finish(&head(1, 6, false))
}

pub(super) fn close(error: Option<&str>, allow_reconnect: bool) -> Frame {
    let mut body = head(3, 7, false);
    match error {
        Some(error) => encode::write_str(&mut body, error).expect(INFALLIBLE),
        None => encode::write_nil(&mut body).expect(INFALLIBLE),
    }
    encode::write_bool(&mut body, allow_reconnect).expect(INFALLIBLE);
    finish(&body)
}

pub(super) fn sequence_number(kind: u8, sequence_id: i64) -> Frame {
    let mut body = head(2, kind, false);
    encode::write_sint(&mut body, sequence_id).expect(INFALLIBLE);
    finish(&body)
}

/// The array, the type, and an empty map of headers where the message has headers.
fn head(items: u32, kind: u8, headers: bool) -> Vec<u8> {
    let mut body = Vec::with_capacity(64);
    encode::write_array_len(&mut body, items).expect(INFALLIBLE);
    body.push(kind);
    if headers {
        encode::write_map_len(&mut body, 0).expect(INFALLIBLE);
    }
    body
}

fn finish(body: &[u8]) -> Frame {
    let mut bytes = Vec::with_capacity(body.len() + PREFIX_BYTES_MAX);
    let mut length = body.len();
    while length > 0x7f {
        bytes.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    bytes.push((length & 0x7f) as u8);
    bytes.extend_from_slice(body);
    Frame::Binary(bytes.into())
}
