//! Percent-encoding of paths and header values.
//!
//! Owns which characters are encoded. Does not own form encoding: `+` stays `+`.

use std::borrow::Cow;

use percent_encoding::{
    AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode,
};

/// What JavaScript's `encodeURIComponent` escapes: all but letters, digits and these signs.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// Decodes `%XX` once. A percent sign without two digits is kept. Bytes that are not UTF-8 are replaced.
pub(crate) fn percent_decode(text: &str) -> Cow<'_, str> {
    // Most texts have no escape. This scan is vectorized; that of the library is not.
    if !text.as_bytes().contains(&b'%') {
        return Cow::Borrowed(text);
    }
    percent_decode_str(text).decode_utf8_lossy()
}

/// Encodes a text as clients encode and decode one part of an address.
pub(crate) fn percent_encode_component(text: &str) -> String {
    utf8_percent_encode(text, COMPONENT).to_string()
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
    }

    #[test]
    fn only_what_headers_cannot_carry_is_encoded() {
        assert_eq!(percent_encode_non_ascii("dbs/my db/é"), "dbs/my db/%C3%A9");
    }
}
