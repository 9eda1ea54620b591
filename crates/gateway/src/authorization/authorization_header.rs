//! The authorization header: `type=...&ver=...&sig=...`, which each client percent-encodes in its own way.
//!
//! Owns parsing it. Does not own checking its signature.

use std::borrow::Cow;

use crate::http::percent_decode;

/// The prefixes of nearly all signatures by the account key: encoded in upper case, in lower case, or not at all. They
/// are recognized without decoding the whole header.
const MASTER_KEY_PREFIXES: [&str; 3] = [
    "type%3Dmaster%26ver%3D1.0%26sig%3D",
    "type%3dmaster%26ver%3d1.0%26sig%3d",
    "type=master&ver=1.0&sig=",
];

/// The kinds of authorization headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AuthorizationHeader<'a> {
    /// A signature by the account key, as base64 text.
    MasterKey(Cow<'a, str>),
    /// A resource token.
    ResourceToken(String),
    /// A bearer token.
    Bearer(String),
}

impl<'a> AuthorizationHeader<'a> {
    /// Parses the header. Returns `None` if its form is unknown.
    pub(super) fn parse(header: &'a str) -> Option<Self> {
        let mut prefixes = MASTER_KEY_PREFIXES.iter();
        if let Some(signature) = prefixes.find_map(|prefix| header.strip_prefix(prefix)) {
            // Only the signature is decoded. In the third form decoding changes nothing, because base64 has no percent
            // signs.
            return Some(Self::MasterKey(restore_plus(percent_decode(signature))));
        }
        let decoded = percent_decode(header);
        let kind = find_value(&decoded, "type")?;
        // Everything behind it, not up to the next `&`: a resource token contains characters of its own.
        let signature = decoded.split_once("sig=").map(|(_, signature)| signature)?;
        let restored = || restore_plus(Cow::Borrowed(signature)).into_owned();
        if kind.eq_ignore_ascii_case("master") {
            Some(Self::MasterKey(Cow::Owned(restored())))
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
    use super::AuthorizationHeader;

    #[test]
    fn the_encodings_of_all_clients_are_accepted() {
        let expected = AuthorizationHeader::MasterKey("a+b/c==".into());
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
        let signature = AuthorizationHeader::MasterKey("sig=a&sig=b".into());
        assert_eq!(
            AuthorizationHeader::parse("type=master&ver=1.0&sig=sig=a&sig=b"),
            Some(signature)
        );
    }

    #[test]
    fn other_texts_are_refused() {
        for header in ["", "Bearer x", "type=master", "type=master&sig", "type=other&ver=1.0&sig=x"]
        {
            assert_eq!(AuthorizationHeader::parse(header), None, "{header}");
        }
    }
}
