//! The authorization header taken apart: `type=...&ver=...&sig=...`, escaped in as many ways as there are clients.
//!
//! Owns the parts. Does not own whether they are right.

use std::borrow::Cow;

/// The kinds of authorization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Authorization<'a> {
    /// A signature by the account key, as base64 text.
    MasterKey(Cow<'a, str>),
    /// A resource token, whole.
    ResourceToken(Cow<'a, str>),
    /// A bearer token.
    Bearer(&'a str),
}

impl<'a> Authorization<'a> {
    /// Reads the header, once its escapes are decoded; none when it has no known form.
    pub(crate) fn parse(decoded: &'a str) -> Option<Self> {
        // Mostly it comes first.
        let kind = match decoded.strip_prefix("type=") {
            Some(behind) => behind.split('&').next()?,
            None => member(decoded, "type")?,
        };
        let signature = signature(decoded)?.trim();
        // Form encoding and a missing escape both turn a plus into a space.
        let with_plus = || match signature.contains(' ') {
            true => Cow::Owned(signature.replace(' ', "+")),
            false => Cow::Borrowed(signature),
        };
        if kind.eq_ignore_ascii_case("master") {
            Some(Self::MasterKey(with_plus()))
        } else if kind.eq_ignore_ascii_case("resource") {
            Some(Self::ResourceToken(with_plus()))
        } else if kind.eq_ignore_ascii_case("aad") {
            Some(Self::Bearer(signature))
        } else {
            None
        }
    }
}

/// Everything behind the first `sig=`, wherever that stands.
fn signature(text: &str) -> Option<&str> {
    let splits = text.match_indices('=').filter_map(|(at, _)| text.split_at_checked(at + 1));
    splits.into_iter().find_map(|(before, behind)| before.ends_with("sig=").then_some(behind))
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
    use crate::exchange::percent_decoded;

    #[test]
    fn every_clients_escapes_are_read() {
        let expected = Authorization::MasterKey("a+b/c==".into());
        for header in [
            "ver=1.0&type =master&sig=a+b/c==",
            "type%3Dmaster%26ver%3D1.0%26sig%3Da%2Bb%2Fc%3D%3D",
            "type=master&ver=1.0&sig=a+b/c==",
            "type=master&ver=1.0&sig=a b/c==",
            "type%3dmaster%26ver%3d1.0%26sig%3da%2bb%2fc%3d%3d",
        ] {
            let decoded = percent_decoded(header);
            assert_eq!(Authorization::parse(&decoded), Some(expected.clone()), "{header}");
        }
    }

    #[test]
    fn a_signature_is_everything_behind_its_name() {
        for (text, signature) in [
            ("type=aad&sig=a&sig=b", "a&sig=b"),
            ("xsig= =&type=aad", "=&type=aad"),
            ("type=aad&sig=", ""),
        ] {
            assert_eq!(
                Authorization::parse(text),
                Some(Authorization::Bearer(signature)),
                "{text}"
            );
        }
    }

    #[test]
    fn other_texts_are_no_authorization() {
        for header in ["", "Bearer x", "type=master", "type=master&sig", "type=other&ver=1.0&sig=x"]
        {
            assert_eq!(Authorization::parse(&percent_decoded(header)), None, "{header}");
        }
    }
}
