//! Continuation tokens: where a page ended.
//!
//! Owns the envelope that all tokens share, so that a token of another container or kind of read, or a damaged one, is
//! refused before its payload is decoded. Does not own the payload: each kind of read encodes its own position.
//!
//! ```text
//! version: 1 byte | kind: length byte + bytes | container: length byte + resource id | payload | checksum: 8 bytes
//! ```
//!
//! The bytes are printed as URL-safe base64. The checksum detects accidental changes; it is not a signature.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::murmur::murmur3_x64_128;
use crate::{ResourceId, Result, ValidationError};

/// The position where a page ended. Opaque to clients.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ContinuationToken(String);

impl ContinuationToken {
    /// Encodes the position where a read of this kind ended in a container.
    #[must_use]
    pub fn encode(kind: &'static str, version: u8, container: &ResourceId, payload: &[u8]) -> Self {
        // The version is that of the payload. It is checked by the kind of read that decodes the payload.
        let mut bytes = vec![version];
        append_sized(kind.as_bytes(), &mut bytes);
        append_sized(container.as_bytes(), &mut bytes);
        bytes.extend_from_slice(payload);
        bytes.extend_from_slice(&checksum(&bytes));
        Self(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Decodes a token of this kind and container. Returns its version and its payload.
    ///
    /// # Errors
    /// When the text is not a token, or is one of another kind of read or another container.
    pub fn decode(text: &str, kind: &str, container: &ResourceId) -> Result<(u8, Vec<u8>)> {
        let damaged = || invalid(text, "it was not made by this service, or was changed since");
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| damaged())?;
        // Checked before anything else: a damaged length byte would otherwise be reported as a wrong kind or
        // container.
        let (content, sum) = bytes.split_last_chunk().ok_or_else(damaged)?;
        if checksum(content) != *sum {
            return Err(damaged());
        }
        let (version, rest) = content.split_first().ok_or_else(damaged)?;
        let (token_kind, rest) = split_sized(rest).ok_or_else(damaged)?;
        let (token_container, payload) = split_sized(rest).ok_or_else(damaged)?;
        if token_kind != kind.as_bytes() {
            let token_kind = String::from_utf8_lossy(token_kind);
            let reason = format!("it continues a {token_kind}, this request is a {kind}");
            return Err(invalid(text, &reason));
        }
        // By resource id, not by name: a container that was deleted and created again has another one, and positions
        // in the old one mean nothing there.
        if token_container != container.as_bytes() {
            return Err(invalid(text, "it belongs to another container, or to one deleted since"));
        }
        Ok((*version, payload.to_vec()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, without copying it.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

fn checksum(bytes: &[u8]) -> [u8; 8] {
    const SEED: u64 = 0x5EED;
    (murmur3_x64_128(bytes, SEED) as u64).to_le_bytes()
}

/// Appends a length byte and the bytes. Kinds and resource ids are shorter than 256 bytes.
fn append_sized(part: &[u8], bytes: &mut Vec<u8>) {
    let length = u8::try_from(part.len()).expect("a kind of read has a name below 256 bytes");
    bytes.push(length);
    bytes.extend_from_slice(part);
}

fn split_sized(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first()?;
    rest.split_at_checked(usize::from(*length))
}

fn invalid(text: &str, reason: &str) -> ValidationError {
    // The text comes from the client and may be long.
    let shown: String = text.chars().take(64).collect();
    ValidationError::new(format!(
        "Invalid Continuation Token '{shown}': {reason}. Start the read again without a token."
    ))
}

impl fmt::Display for ContinuationToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl AsRef<str> for ContinuationToken {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn container(number: u32) -> ResourceId {
        ResourceId::container(&ResourceId::database(1), number)
    }

    fn refusal(text: &str, kind: &str, container: &ResourceId) -> String {
        ContinuationToken::decode(text, kind, container).unwrap_err().to_string()
    }

    #[test]
    fn only_its_own_kind_and_container_accept_a_token() {
        let token = ContinuationToken::encode("query", 3, &container(1), b"place");
        assert_eq!(
            ContinuationToken::decode(token.as_str(), "query", &container(1)).unwrap(),
            (3, b"place".to_vec())
        );
        let other_kind = refusal(token.as_str(), "list", &container(1));
        assert!(
            other_kind.contains("it continues a query, this request is a list"),
            "{other_kind}"
        );
        let other_container = refusal(token.as_str(), "query", &container(2));
        assert!(other_container.contains("belongs to another container"), "{other_container}");
    }

    #[test]
    fn made_up_tokens_are_refused() {
        for text in ["", "x", "AAAA", "AAAAAAAAAAAAAAAA", "{\"token\":\"1\"}", "é"] {
            let message = refusal(text, "query", &container(1));
            assert!(
                message.starts_with(&format!("Invalid Continuation Token '{text}'")),
                "{message}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_token_survives_its_text(
            version: u8,
            number: u32,
            payload in proptest::collection::vec(any::<u8>(), 0..100),
        ) {
            let token = ContinuationToken::encode("query", version, &container(number), &payload);
            let decoded = ContinuationToken::decode(token.as_str(), "query", &container(number));
            prop_assert_eq!(decoded.unwrap(), (version, payload));
        }

        #[test]
        fn any_flipped_byte_is_noticed(
            payload in proptest::collection::vec(any::<u8>(), 0..40),
            place: prop::sample::Index,
            flip in 1u8..=255,
        ) {
            let token = ContinuationToken::encode("query", 1, &container(1), &payload);
            let mut bytes = URL_SAFE_NO_PAD.decode(token.as_str()).unwrap();
            let place_of_byte = place.index(bytes.len());
            bytes[place_of_byte] ^= flip;
            let changed = URL_SAFE_NO_PAD.encode(bytes);
            prop_assert!(ContinuationToken::decode(&changed, "query", &container(1)).is_err());

            let mut characters = token.as_str().as_bytes().to_vec();
            let place_of_character = place.index(characters.len());
            characters[place_of_character] = (characters[place_of_character] ^ flip) & 0x7F;
            let changed = String::from_utf8(characters).unwrap();
            if changed != token.as_str() {
                prop_assert!(ContinuationToken::decode(&changed, "query", &container(1)).is_err());
            }
        }

        #[test]
        fn any_cut_is_noticed(
            payload in proptest::collection::vec(any::<u8>(), 0..40),
            place: prop::sample::Index,
        ) {
            let token = ContinuationToken::encode("query", 1, &container(1), &payload).to_string();
            let shorter = &token[..place.index(token.len())];
            prop_assert!(ContinuationToken::decode(shorter, "query", &container(1)).is_err());
        }
    }
}
