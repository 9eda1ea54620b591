//! The authorization header: `type=...&ver=...&sig=...`, which each client percent-encodes in its own way.
//!
//! Owns parsing it. Does not own checking its signature.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::http::percent_decode;

/// More than the length of any signature as text.
const SIGNATURE_BYTES_MAX: usize = 64;

/// The prefixes of nearly all signatures by the account key: encoded in upper case, in lower case, or not at all. They
/// are recognized without decoding the whole header.
const MASTER_KEY_PREFIXES: [&str; 3] = [
    "type%3Dmaster%26ver%3D1.0%26sig%3D",
    "type%3dmaster%26ver%3d1.0%26sig%3d",
    "type=master&ver=1.0&sig=",
];

/// The kinds of authorization headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AuthorizationHeader {
    /// A signature by the account key.
    MasterKey(SignatureText),
    /// A resource token.
    ResourceToken(String),
    /// A bearer token.
    Bearer(String),
}

/// The base64 text of a signature. Every request has one, so that it is kept without an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SignatureText {
    bytes: [u8; SIGNATURE_BYTES_MAX],
    length: usize,
}

impl SignatureText {
    /// A text that is longer than any signature becomes an empty one, which matches nothing.
    fn new(bytes: impl Iterator<Item = u8>) -> Self {
        let mut text = Self { bytes: [0; SIGNATURE_BYTES_MAX], length: 0 };
        for byte in bytes {
            let Some(slot) = text.bytes.get_mut(text.length) else {
                return Self { bytes: [0; SIGNATURE_BYTES_MAX], length: 0 };
            };
            *slot = byte;
            text.length += 1;
        }
        text
    }

    /// Decodes percent signs.
    fn decode(encoded: &str) -> Self {
        let text = Self::new(percent_decode_str(encoded));
        if text.as_bytes().iter().all(u8::is_ascii_graphic) {
            return text;
        }
        Self::new(restore_plus(percent_decode(encoded)).bytes())
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

impl AuthorizationHeader {
    /// Parses the header. Returns `None` if its form is unknown.
    pub(super) fn parse(header: &str) -> Option<Self> {
        let mut prefixes = MASTER_KEY_PREFIXES.iter();
        if let Some(signature) = prefixes.find_map(|prefix| header.strip_prefix(prefix)) {
            // Only the signature is decoded. In the third form decoding changes nothing, because base64 has no percent
            // signs.
            return Some(Self::MasterKey(SignatureText::decode(signature)));
        }
        let decoded = percent_decode(header);
        let kind = find_value(&decoded, "type")?;
        // Everything behind it, not up to the next `&`: a resource token contains characters of its own.
        let signature = decoded.split_once("sig=").map(|(_, signature)| signature)?;
        let restored = || restore_plus(Cow::Borrowed(signature)).into_owned();
        if kind.eq_ignore_ascii_case("master") {
            Some(Self::MasterKey(SignatureText::new(restored().bytes())))
        } else if kind.eq_ignore_ascii_case("resource") {
            Some(Self::ResourceToken(restored()))
        } else if kind.eq_ignore_ascii_case("aad") {
            Some(Self::Bearer(signature.trim().to_owned()))
        } else {
            None
        }
    }
}

/// Trims a signature and turns spaces into plus signs. Base64 contains plus signs but no spaces; a client that does not
/// encode the plus, or a proxy that applies form decoding, turns it into a space.
fn restore_plus(signature: Cow<'_, str>) -> Cow<'_, str> {
    if signature.bytes().all(|byte| byte.is_ascii_graphic()) {
        return signature;
    }
    Cow::Owned(signature.trim().replace(' ', "+"))
}

fn find_value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split('&').find_map(|part| {
        let (found, value) = part.split_once('=')?;
        (found.trim() == name).then_some(value)
    })
}

/// For fuzzing: any header is refused or read.
#[cfg(any(test, fuzzing))]
pub(crate) fn check_token(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = AuthorizationHeader::parse(text);
    }
    super::resource_token::check_signed(bytes);
}

#[cfg(test)]
mod tests {
    use super::{AuthorizationHeader, SignatureText};

    #[test]
    fn the_encodings_of_all_clients_are_accepted() {
        let expected = AuthorizationHeader::MasterKey(SignatureText::new("a+b/c==".bytes()));
        for header in [
            "type%3Dmaster%26ver%3D1.0%26sig%3Da%2Bb%2Fc%3D%3D",
            "type=master&ver=1.0&sig=a+b/c==",
            "type=master&ver=1.0&sig=a b/c==",
            "type%3dmaster%26ver%3d1.0%26sig%3da%2bb%2fc%3d%3d",
            "type%3Dmaster%26ver%3D1.0%26sig%3D%20a%20b/c== ",
            "type=master&ver=1.0&sig= a+b%2Fc==\t",
            "ver=1.0&type =MASTER&sig=a b/c== ",
            "type%3Dmaster%26sig%3Da%2Bb%2Fc%3D%3D",
        ] {
            assert_eq!(AuthorizationHeader::parse(header), Some(expected.clone()), "{header}");
        }
    }

    #[test]
    fn a_signature_is_everything_after_its_name() {
        for (text, signature) in [
            ("type=aad&sig=a&sig=b", "a&sig=b"),
            ("xsig= =&type=aad", "=&type=aad"),
            ("type=aad&sig=", ""),
        ] {
            let expected = AuthorizationHeader::Bearer(signature.to_owned());
            assert_eq!(AuthorizationHeader::parse(text), Some(expected), "{text}");
        }
        let signature = SignatureText::new("sig=a&sig=b".bytes());
        assert_eq!(
            AuthorizationHeader::parse("type=master&ver=1.0&sig=sig=a&sig=b"),
            Some(AuthorizationHeader::MasterKey(signature))
        );
        let long =
            AuthorizationHeader::parse(&format!("type=master&ver=1.0&sig={}", "a".repeat(65)));
        assert_eq!(long, Some(AuthorizationHeader::MasterKey(SignatureText::new("".bytes()))));
    }

    #[test]
    fn other_texts_are_refused() {
        for header in ["", "Bearer x", "type=master", "type=master&sig", "type=other&ver=1.0&sig=x"]
        {
            assert_eq!(AuthorizationHeader::parse(header), None, "{header}");
        }
    }
}
