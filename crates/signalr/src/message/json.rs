//! The JSON encoding: one object per message, each ended by a record separator.
//!
//! Error texts are those of the official server; a client reads them when detailed errors are on.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::frame::Frame;
use super::incoming::{ClientMessage, ClientOutcome, RawItem};
use super::protocol::CallAnswer;
use crate::error::ProtocolError;

/// Ends every JSON message.
pub(super) const RECORD_SEPARATOR: u8 = 0x1e;

pub(super) fn split(
    bytes: &[u8],
    bytes_max: usize,
) -> Result<Option<(Range<usize>, usize)>, ProtocolError> {
    // The limit counts the separator, as in the official server.
    let window = bytes.get(..bytes_max).unwrap_or(bytes);
    match window.iter().position(|byte| *byte == RECORD_SEPARATOR) {
        Some(end) => Ok(Some((0..end, end + 1))),
        None if bytes.len() > bytes_max => Err(ProtocolError::oversize(bytes_max)),
        None => Ok(None),
    }
}

/// Every property of every message. Which ones are needed depends on the type.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JsonMessage<'a> {
    #[serde(default, rename = "type", borrow)]
    kind: Option<&'a RawValue>,
    #[serde(default, borrow)]
    invocation_id: Option<&'a RawValue>,
    #[serde(default, borrow)]
    target: Option<&'a RawValue>,
    #[serde(default, borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(default, borrow)]
    stream_ids: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    item: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(default, borrow)]
    error: Option<&'a RawValue>,
    #[serde(default, borrow)]
    headers: Option<&'a RawValue>,
    #[serde(default, borrow)]
    sequence_id: Option<&'a RawValue>,
}

/// `null` is a value here, and not the absence of one.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

pub(super) fn parse(content: &[u8]) -> Result<ClientMessage<'_>, ProtocolError> {
    let message: JsonMessage<'_> =
        serde_json::from_slice(content).map_err(|_| ProtocolError::new("Error reading JSON."))?;
    let Some(kind) = message.kind else { return Err(missing("type")) };
    let Ok(kind) = kind.get().parse::<i64>() else { return Err(expected("type", "Number")) };
    message.check_headers()?;
    match kind {
        1 | 4 => message.invocation(kind == 4),
        2 => Ok(ClientMessage::StreamItem {
            stream_id: message.required_id()?,
            item: RawItem::Json(message.item.ok_or_else(|| missing("item"))?.get()),
        }),
        3 => message.completion(),
        5 => Ok(ClientMessage::CancelInvocation { invocation_id: message.required_id()? }),
        6 => Ok(ClientMessage::Ping),
        7 => Ok(ClientMessage::Close { error: message.error()? }),
        8 => Ok(ClientMessage::Ack { sequence_id: message.sequence()? }),
        9 => Ok(ClientMessage::Sequence { sequence_id: message.sequence()? }),
        _ => Ok(ClientMessage::Unknown),
    }
}

impl<'a> JsonMessage<'a> {
    fn invocation(&self, streaming: bool) -> Result<ClientMessage<'a>, ProtocolError> {
        let target = text(self.target, "target")?.filter(|target| !target.is_empty());
        let target = target.ok_or_else(|| missing("target"))?;
        let invocation_id = match streaming {
            true => Some(self.required_id()?),
            false => text(self.invocation_id, "invocationId")?.filter(|id| !id.is_empty()),
        };
        let arguments = self.arguments.ok_or_else(|| missing("arguments"))?;
        let arguments: Vec<&'a RawValue> =
            serde_json::from_str(arguments.get()).map_err(|_| expected("arguments", "Array"))?;
        let stream_ids = match self.stream_ids {
            None => Vec::new(),
            Some(ids) => {
                serde_json::from_str(ids.get()).map_err(|_| expected("streamIds", "Array"))?
            }
        };
        let arguments = arguments.into_iter().map(|argument| RawItem::Json(argument.get()));
        Ok(ClientMessage::Invocation {
            invocation_id,
            target,
            arguments: arguments.collect(),
            stream_ids,
            streaming,
        })
    }

    fn completion(&self) -> Result<ClientMessage<'a>, ProtocolError> {
        let invocation_id = self.required_id()?;
        let outcome = match (self.error()?, self.result) {
            (Some(_), Some(_)) => {
                let text = "The 'error' and 'result' properties are mutually exclusive.";
                return Err(ProtocolError::new(text));
            }
            (Some(error), None) => ClientOutcome::Error(error),
            (None, Some(result)) => ClientOutcome::Result(RawItem::Json(result.get())),
            (None, None) => ClientOutcome::Void,
        };
        Ok(ClientMessage::Completion { invocation_id, outcome })
    }

    fn required_id(&self) -> Result<String, ProtocolError> {
        let id = text(self.invocation_id, "invocationId")?;
        id.filter(|id| !id.is_empty()).ok_or_else(|| missing("invocationId"))
    }

    fn error(&self) -> Result<Option<String>, ProtocolError> {
        text(self.error, "error")
    }

    fn sequence(&self) -> Result<i64, ProtocolError> {
        let number = self.sequence_id.ok_or_else(|| missing("sequenceId"))?;
        number.get().parse().map_err(|_| expected("sequenceId", "Number"))
    }

    fn check_headers(&self) -> Result<(), ProtocolError> {
        let Some(headers) = self.headers else { return Ok(()) };
        serde_json::from_str::<HashMap<Cow<'_, str>, Cow<'_, str>>>(headers.get())
            .map(drop)
            .map_err(|_| expected("headers", "Object"))
    }
}

fn text(value: Option<&RawValue>, name: &str) -> Result<Option<String>, ProtocolError> {
    let Some(value) = value else { return Ok(None) };
    serde_json::from_str(value.get()).map_err(|_| expected(name, "String"))
}

fn missing(name: &str) -> ProtocolError {
    ProtocolError::new(format!("Missing required property '{name}'."))
}

fn expected(name: &str, kind: &str) -> ProtocolError {
    ProtocolError::new(format!("Expected '{name}' to be of type {kind}."))
}

/// A string with its quotes.
pub(super) fn json_string(text: &str) -> String {
    serde_json::to_string(text).expect("a string has a JSON form")
}

pub(super) fn invocation(id: Option<&str>, target: &str, arguments: &[u8]) -> Frame {
    let mut text = String::with_capacity(64 + target.len() + arguments.len());
    text.push_str("{\"type\":1,");
    if let Some(id) = id {
        text.push_str("\"invocationId\":");
        text.push_str(&json_string(id));
        text.push(',');
    }
    text.push_str("\"target\":");
    text.push_str(&json_string(target));
    text.push_str(",\"arguments\":");
    push_json(&mut text, arguments);
    finish(text)
}

pub(super) fn stream_item(id: &str, item: &[u8]) -> Frame {
    let mut text = format!("{{\"type\":2,\"invocationId\":{},\"item\":", json_string(id));
    push_json(&mut text, item);
    finish(text)
}

pub(super) fn completion(id: &str, outcome: &CallAnswer) -> Frame {
    let mut text = format!("{{\"type\":3,\"invocationId\":{}", json_string(id));
    match outcome {
        CallAnswer::Void => {}
        CallAnswer::Value(value) => {
            text.push_str(",\"result\":");
            push_json(&mut text, value);
        }
        CallAnswer::Error(error) => {
            text.push_str(",\"error\":");
            text.push_str(&json_string(error));
        }
    }
    finish(text)
}

pub(super) fn ping() -> Frame {
    finish("{\"type\":6".to_owned())
}

pub(super) fn close(error: Option<&str>, allow_reconnect: bool) -> Frame {
    let mut text = "{\"type\":7".to_owned();
    if let Some(error) = error {
        text.push_str(",\"error\":");
        text.push_str(&json_string(error));
    }
    if allow_reconnect {
        text.push_str(",\"allowReconnect\":true");
    }
    finish(text)
}

pub(super) fn sequence_number(kind: u8, sequence_id: i64) -> Frame {
    finish(format!("{{\"type\":{kind},\"sequenceId\":{sequence_id}"))
}

fn push_json(text: &mut String, json: &[u8]) {
    text.push_str(std::str::from_utf8(json).expect("serde_json writes UTF-8"));
}

fn finish(mut text: String) -> Frame {
    text.push_str("}\u{1e}");
    Frame::Text(text.into())
}
