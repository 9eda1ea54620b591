//! The handshake: the first message of a client and the answer, both JSON in every protocol.
//!
//! Does not own the time that a client has for it; see `connection/opening.rs`.

use serde::Deserialize;
use serde_json::Value;

use super::frame::Frame;
use super::json::{RECORD_SEPARATOR, json_string};
use crate::error::ProtocolError;

/// What a client asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HandshakeRequest {
    pub(crate) protocol: String,
    pub(crate) version: i64,
}

#[derive(Deserialize)]
struct HandshakeFields {
    protocol: Option<Value>,
    version: Option<Value>,
}

/// The request and how many bytes it took, or nothing as long as its end has not arrived.
pub(crate) fn parse_handshake(
    bytes: &[u8],
) -> Result<Option<(HandshakeRequest, usize)>, ProtocolError> {
    let Some(end) = bytes.iter().position(|byte| *byte == RECORD_SEPARATOR) else {
        return Ok(None);
    };
    let record = bytes.get(..end).unwrap_or_default();
    let content = || String::from_utf8_lossy(record).into_owned();
    let fields: HandshakeFields = serde_json::from_slice(record).map_err(|_| {
        ProtocolError::new(format!(
            "Unexpected token when reading handshake request JSON. \
                                    Message content: {}",
            content()
        ))
    })?;
    let missing = |name: &str| {
        ProtocolError::new(format!(
            "Missing required property '{name}'. Message content: {}",
            content()
        ))
    };
    let protocol = match fields.protocol {
        Some(Value::String(protocol)) => protocol,
        Some(_) => return Err(ProtocolError::new("Expected 'protocol' to be of type String.")),
        None => return Err(missing("protocol")),
    };
    let version = match fields.version {
        Some(version) => version
            .as_i64()
            .ok_or_else(|| ProtocolError::new("Expected 'version' to be of type Number."))?,
        None => return Err(missing("version")),
    };
    Ok(Some((HandshakeRequest { protocol, version }, end + 1)))
}

/// `{}`, or the error after which the connection closes.
pub(crate) fn handshake_answer(error: Option<&str>) -> String {
    match error {
        None => "{}\u{1e}".to_owned(),
        Some(error) => format!("{{\"error\":{}}}\u{1e}", json_string(error)),
    }
}

impl Frame {
    /// The answer in the kind of WebSocket message that the client reads in its protocol.
    pub(crate) fn handshake(answer: String, binary: bool) -> Self {
        match binary {
            true => Self::Binary(answer.into_bytes().into()),
            false => Self::Text(answer.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<Option<(&str, i64, usize)>, &str>) {
        let parsed = parse_handshake(text.as_bytes())
            .map(|found| found.map(|(request, taken)| (request.protocol, request.version, taken)));
        let expected = expected
            .map(|found| {
                found.map(|(protocol, version, taken)| (protocol.to_owned(), version, taken))
            })
            .map_err(ProtocolError::new);
        assert_eq!(parsed, expected);
    }

    #[test]
    fn a_handshake_is_read_up_to_its_separator() {
        check("{\"protocol\":\"json\",\"version\":1}\u{1e}rest", Ok(Some(("json", 1, 32))));
        check("{\"protocol\":\"json\",\"ver", Ok(None));
    }

    #[test]
    fn a_broken_handshake_names_what_is_missing() {
        check(
            "{\"version\":1}\u{1e}",
            Err("Missing required property 'protocol'. Message content: {\"version\":1}"),
        );
        check(
            "{\"protocol\":\"json\"}\u{1e}",
            Err("Missing required property 'version'. Message content: {\"protocol\":\"json\"}"),
        );
        check(
            "{\"protocol\":5,\"version\":1}\u{1e}",
            Err("Expected 'protocol' to be of type String."),
        );
    }
}
