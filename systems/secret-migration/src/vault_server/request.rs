//! A request of the protocol: an operation on a path below `/v1/`.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::http::{Method, Request};
use serde::Deserialize;
use serde_json::Value;
use zeroize::{Zeroize as _, Zeroizing};

use super::reply::VaultRefusal;

/// As a Vault has it.
const BODY_BYTES_MAX: usize = 32 << 20;

/// What a request does. A write of something new needs `create`, of something known `update`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VaultOperation {
    Read,
    List,
    Write,
    Patch,
    Delete,
}

/// A request.
pub(super) struct VaultRequest {
    pub(super) operation: VaultOperation,
    /// The path below `/v1/`, without a slash at its ends, except that of a folder to list.
    pub(super) path: String,
    pub(super) query: BTreeMap<String, String>,
    pub(super) token: Option<String>,
    /// Wiped when dropped.
    pub(super) body: Zeroizing<Vec<u8>>,
}

impl VaultRequest {
    pub(super) async fn receive(request: Request<Body>) -> Result<Self, VaultRefusal> {
        let (parts, body) = request.into_parts();
        let path = parts.uri.path().strip_prefix("/v1/");
        let path = path.ok_or_else(|| VaultRefusal::not_found("no handler for this route"))?;
        let path = decode(path)?;
        let query: BTreeMap<String, String> = parts
            .uri
            .query()
            .unwrap_or_default()
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| Ok((decode(name)?, decode(value)?)))
            .collect::<Result<_, VaultRefusal>>()?;
        let header = |name: &str| parts.headers.get(name)?.to_str().ok();
        if header("x-vault-namespace").is_some_and(|name| !matches!(name, "" | "/" | "root")) {
            return Err(VaultRefusal::invalid("namespaces are not supported by this server"));
        }
        let bearer = header("authorization").and_then(|text| text.strip_prefix("Bearer "));
        let token = header("x-vault-token").or(bearer).map(str::to_owned);
        let wants_list = query.get("list").is_some_and(|list| list == "true");
        let operation = match (parts.method.as_str(), wants_list) {
            ("LIST", _) | ("GET", true) => VaultOperation::List,
            ("GET" | "HEAD", false) => VaultOperation::Read,
            ("POST" | "PUT", _) => VaultOperation::Write,
            ("PATCH", _) => VaultOperation::Patch,
            ("DELETE", _) => VaultOperation::Delete,
            _ => return Err(VaultRefusal::unsupported()),
        };
        let is_bodiless = parts.method == Method::GET || parts.method == Method::HEAD;
        let body = if is_bodiless { Body::empty() } else { body };
        let received = axum::body::to_bytes(body, BODY_BYTES_MAX).await;
        let received = received.map_err(|_| VaultRefusal::too_large())?;
        let body = Zeroizing::new(received.to_vec());
        if let Ok(mut received) = received.try_into_mut() {
            received.as_mut().zeroize();
        }
        Ok(Self { operation, path, query, token, body })
    }

    /// The body in the expected shape. An empty one counts as an empty object.
    pub(super) fn parse<'a, T: Deserialize<'a>>(&'a self) -> Result<T, VaultRefusal> {
        let text = if self.body.is_empty() { b"{}" } else { self.body.as_slice() };
        // The text of the error could quote a value.
        serde_json::from_slice(text)
            .map_err(|_| VaultRefusal::invalid("failed to parse JSON input"))
    }

    /// A number of the query.
    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, VaultRefusal> {
        let text = self.query.get(name);
        let number = text.map(|text| text.parse()).transpose();
        number.map_err(|_| VaultRefusal::invalid(format!("'{name}' is no number")))
    }
}

/// Undoes percent-encoding.
fn decode(text: &str) -> Result<String, VaultRefusal> {
    let wrong = || VaultRefusal::invalid("the path is no UTF-8 text");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte.unwrap_or(b'x')).to_digit(16);
        let (Some(high), Some(low)) = (digit(rest.next()), digit(rest.next())) else {
            return Err(wrong());
        };
        bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

/// A duration as the protocol has it: seconds as a number or text, or such as `1h30m`.
pub(super) fn seconds(value: Option<&Value>) -> Result<u64, VaultRefusal> {
    let wrong = || VaultRefusal::invalid("a duration is seconds, or such as 1h30m");
    match value {
        None | Some(Value::Null) => Ok(0),
        Some(Value::Number(number)) => number.as_u64().ok_or_else(wrong),
        Some(Value::String(text)) if text.is_empty() => Ok(0),
        Some(Value::String(text)) => {
            if let Ok(seconds) = text.parse() {
                return Ok(seconds);
            }
            let (mut total, mut number) = (0_u64, String::new());
            for c in text.chars() {
                let unit = match c {
                    '0'..='9' => {
                        number.push(c);
                        continue;
                    }
                    's' => 1,
                    'm' => 60,
                    'h' => 3_600,
                    'd' => 86_400,
                    _ => return Err(wrong()),
                };
                let count: u64 = std::mem::take(&mut number).parse().map_err(|_| wrong())?;
                total = total.saturating_add(count.saturating_mul(unit));
            }
            if number.is_empty() { Ok(total) } else { Err(wrong()) }
        }
        Some(_) => Err(wrong()),
    }
}

/// The same as text: `1h30m0s`, and `0s` for none.
pub(super) fn duration_text(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{rest}s"),
        (0, _) => format!("{minutes}m{rest}s"),
        _ => format!("{hours}h{minutes}m{rest}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_written_as_a_vault_does() {
        let read = |text: &str| seconds(Some(&Value::from(text))).ok();
        assert_eq!(read("90"), Some(90));
        assert_eq!(read("1h30m"), Some(5_400));
        assert_eq!(read("25h"), Some(90_000));
        assert_eq!((read("h"), read("5"), read("5x"), read("5m3")), (None, Some(5), None, None));
        assert_eq!(seconds(Some(&Value::from(7))).ok(), Some(7));
        assert_eq!(duration_text(5_400), "1h30m0s");
        assert_eq!(duration_text(0), "0s");
    }

    #[test]
    fn a_path_is_decoded_once() {
        assert_eq!(decode("a%20b%2Fc%25").ok().as_deref(), Some("a b/c%"));
        assert!(decode("%zz").is_err() && decode("%ff").is_err() && decode("%2").is_err());
    }
}
