//! Percent-encoding of paths and header values.
//!
//! Owns which characters are encoded. Does not own form encoding: `+` stays `+`.

use std::borrow::Cow;

use memchr::memchr;
use percent_encoding::{CONTROLS, utf8_percent_encode};

/// Decodes `%XX` once. A percent sign without two digits is kept. Bytes that are not UTF-8 are replaced.
///
/// Every request has a signature and a path to decode. Most paths have no escape, and what is between two of them is
/// copied in one piece; the library would go byte by byte.
pub(crate) fn percent_decode(text: &str) -> Cow<'_, str> {
    let mut rest = text.as_bytes();
    if memchr(b'%', rest).is_none() {
        return Cow::Borrowed(text);
    }
    let mut decoded = Vec::with_capacity(rest.len());
    while let Some(at) = memchr(b'%', rest) {
        let (plain, escaped) = rest.split_at(at);
        decoded.extend_from_slice(plain);
        let byte = decode_escape(escaped);
        decoded.push(byte.unwrap_or(b'%'));
        rest = escaped.get(if byte.is_some() { 3 } else { 1 }..).unwrap_or_default();
    }
    decoded.extend_from_slice(rest);
    Cow::Owned(
        String::from_utf8(decoded)
            .unwrap_or_else(|invalid| String::from_utf8_lossy(invalid.as_bytes()).into_owned()),
    )
}

/// The byte of an escape at the front; `None` if it lacks two digits.
fn decode_escape(bytes: &[u8]) -> Option<u8> {
    let [_, high, low, ..] = bytes else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()
}

/// Encodes everything except printable ASCII, so that names stay readable in headers.
pub(crate) fn percent_encode_non_ascii(text: &str) -> String {
    // Bytes outside ASCII are always encoded, whatever the set.
    utf8_percent_encode(text, CONTROLS).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_once() {
        for (text, decoded) in [
            ("my%20db", "my db"),
            ("a%2520", "a%20"),
            ("50%", "50%"),
            ("%zz", "%zz"),
            ("%", "%"),
            ("%%41%4", "%A%4"),
            ("a+b", "a+b"),
        ] {
            assert_eq!(percent_decode(text), decoded);
        }
        assert_eq!(percent_decode("caf%C3%A9"), "café");
        assert_eq!(percent_decode("%ffa%2Bb%2f"), "\u{fffd}a+b/");
    }

    #[test]
    fn only_what_headers_cannot_carry_is_encoded() {
        assert_eq!(percent_encode_non_ascii("dbs/my db/é"), "dbs/my db/%C3%A9");
    }
}
