//! The authorization header taken apart: `type=...&ver=...&sig=...`, escaped in as many ways as there are clients.
//!
//! Owns the parts. Does not own whether they are right.

use crate::exchange::percent_decoded;

/// The kinds of authorization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Authorization {
    /// A signature by the account key, as base64 text.
    MasterKey(String),
    /// A resource token, whole.
    ResourceToken(String),
    /// A bearer token.
    Bearer(String),
}

impl Authorization {
    /// Reads the header; none when it has no known form.
    pub(crate) fn parse(header: &str) -> Option<Self> {
        let decoded = percent_decoded(header);
        let kind = member(&decoded, "type")?;
        let signature = decoded.split_once("sig=").map(|(_, signature)| signature)?;
        // Form encoding and a missing escape both turn a plus into a space.
        let with_plus = || signature.trim().replace(' ', "+");
        if kind.eq_ignore_ascii_case("master") {
            Some(Self::MasterKey(with_plus()))
        } else if kind.eq_ignore_ascii_case("resource") {
            Some(Self::ResourceToken(with_plus()))
        } else if kind.eq_ignore_ascii_case("aad") {
            Some(Self::Bearer(signature.trim().to_owned()))
        } else {
            None
        }
    }
}

fn member<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split('&').find_map(|part| {
        let (known, value) = part.split_once('=')?;
        (known.trim() == name).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::Authorization;

    #[test]
    fn every_clients_escapes_are_read() {
        let expected = Authorization::MasterKey("a+b/c==".to_owned());
        for header in [
            "type%3Dmaster%26ver%3D1.0%26sig%3Da%2Bb%2Fc%3D%3D",
            "type=master&ver=1.0&sig=a+b/c==",
            "type=master&ver=1.0&sig=a b/c==",
            "type%3dmaster%26ver%3d1.0%26sig%3da%2bb%2fc%3d%3d",
        ] {
            assert_eq!(Authorization::parse(header), Some(expected.clone()), "{header}");
        }
    }

    #[test]
    fn other_texts_are_no_authorization() {
        for header in ["", "Bearer x", "type=master", "type=other&ver=1.0&sig=x"] {
            assert_eq!(Authorization::parse(header), None, "{header}");
        }
    }
}
