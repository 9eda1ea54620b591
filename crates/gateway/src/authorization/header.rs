//! The authorization header taken apart: `type=...&ver=...&sig=...`, escaped in as many ways as there are clients.
//!
//! Owns the parts. Does not own whether they are right.

use std::borrow::Cow;

use crate::exchange::percent_decoded;

/// How nearly every signature by the account key is introduced, in the three ways to escape that.
const INTRODUCTIONS: [&str; 3] = [
    "type%3Dmaster%26ver%3D1.0%26sig%3D",
    "type%3dmaster%26ver%3d1.0%26sig%3d",
    "type=master&ver=1.0&sig=",
];

/// The kinds of authorization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Authorization<'a> {
    /// A signature by the account key, as base64 text.
    MasterKey(Cow<'a, str>),
    /// A resource token, whole.
    ResourceToken(String),
    /// A bearer token.
    Bearer(String),
}

impl<'a> Authorization<'a> {
    /// Reads the header; none when it has no known form.
    pub(crate) fn parse(header: &'a str) -> Option<Self> {
        let mut introductions = INTRODUCTIONS.iter();
        if let Some(signature) = introductions.find_map(|usual| header.strip_prefix(usual)) {
            return Some(Self::MasterKey(with_plus(percent_decoded(signature))));
        }
        let decoded = percent_decoded(header);
        let kind = member(&decoded, "type")?;
        let signature = decoded.split_once("sig=").map(|(_, signature)| signature)?;
        let with_plus = || with_plus(Cow::Borrowed(signature)).into_owned();
        if kind.eq_ignore_ascii_case("master") {
            Some(Self::MasterKey(Cow::Owned(with_plus())))
        } else if kind.eq_ignore_ascii_case("resource") {
            Some(Self::ResourceToken(with_plus()))
        } else if kind.eq_ignore_ascii_case("aad") {
            Some(Self::Bearer(signature.trim().to_owned()))
        } else {
            None
        }
    }
}

/// A signature without the space around it. Form encoding and a missing escape both turn a plus into a space.
fn with_plus(signature: Cow<'_, str>) -> Cow<'_, str> {
    if signature.bytes().all(|byte| byte.is_ascii_graphic()) {
        return signature;
    }
    Cow::Owned(signature.trim().replace(' ', "+"))
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
        let expected = Authorization::MasterKey("a+b/c==".into());
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
            assert_eq!(Authorization::parse(header), Some(expected.clone()), "{header}");
        }
    }

    #[test]
    fn a_signature_is_everything_behind_its_name() {
        for (text, signature) in [
            ("type=aad&sig=a&sig=b", "a&sig=b"),
            ("xsig= =&type=aad", "=&type=aad"),
            ("type=aad&sig=", ""),
        ] {
            let expected = Authorization::Bearer(signature.to_owned());
            assert_eq!(Authorization::parse(text), Some(expected), "{text}");
        }
        let signature = Authorization::MasterKey("sig=a&sig=b".into());
        assert_eq!(Authorization::parse("type=master&ver=1.0&sig=sig=a&sig=b"), Some(signature));
    }

    #[test]
    fn other_texts_are_no_authorization() {
        for header in ["", "Bearer x", "type=master", "type=master&sig", "type=other&ver=1.0&sig=x"]
        {
            assert_eq!(Authorization::parse(header), None, "{header}");
        }
    }
}
