//! Percent escapes of paths and header values.
//!
//! Owns decoding once and encoding what headers cannot carry. Does not own form encoding: `+` stays `+`.

use std::borrow::Cow;

/// Decodes `%XX`; a percent sign without two digits stays as it is. Bytes that are no UTF-8 are replaced.
pub(crate) fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.as_bytes().split(|byte| *byte == b'%');
    bytes.extend_from_slice(parts.next().unwrap_or_default());
    for part in parts {
        let (byte, beyond) = escaped(part).unwrap_or((b'%', part));
        bytes.push(byte);
        bytes.extend_from_slice(beyond);
    }
    let text = String::from_utf8(bytes);
    Cow::Owned(text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Encodes what is not printable ASCII; everything else stays readable.
pub(crate) fn percent_encoded_non_ascii(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if matches!(byte, b' '..=b'~') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// The byte that two digits stand for, and what follows them.
fn escaped(part: &[u8]) -> Option<(u8, &[u8])> {
    let [high, low, beyond @ ..] = part else { return None };
    Some((digit(*high)? * 16 + digit(*low)?, beyond))
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
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
            assert_eq!(percent_decoded(text), decoded);
        }
        assert_eq!(percent_decoded("caf%C3%A9"), "café");
    }

    #[test]
    fn only_what_headers_cannot_carry_is_encoded() {
        assert_eq!(percent_encoded_non_ascii("dbs/my db/é"), "dbs/my db/%C3%A9");
    }
}
