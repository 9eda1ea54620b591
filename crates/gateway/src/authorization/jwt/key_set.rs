//! The keys of an issuer as it publishes them: `{"keys":[...]}`.
//!
//! Owns reading the document. Entries that are no public keys for signatures are passed over.

use std::collections::HashMap;

use model::{Json, ValidationError};

use super::signing_key::SigningKey;

/// Bytes of a key set at most.
pub(crate) const KEY_SET_BYTES_MAX: usize = 1024 * 1024;

/// Keys by their id.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeySet {
    keys: HashMap<String, SigningKey>,
}

impl KeySet {
    pub(crate) fn parse(text: &[u8]) -> model::Result<Self> {
        let refused = |why: &str| ValidationError::new(format!("The key set of the issuer {why}."));
        if text.len() > KEY_SET_BYTES_MAX {
            return Err(refused(&format!("is longer than {KEY_SET_BYTES_MAX} bytes")));
        }
        let json = Json::parse(text).map_err(|_| refused("is not JSON"))?;
        let entries = json.get("keys").and_then(Json::as_array);
        let entries = entries.ok_or_else(|| refused("has no array 'keys'"))?;
        let keys: HashMap<_, _> = entries.iter().filter_map(SigningKey::parse).collect();
        if keys.is_empty() {
            return Err(refused("holds no key for signatures with a 'kid' (RSA, P-256 or P-384)"));
        }
        Ok(Self { keys })
    }

    pub(crate) fn get(&self, key_id: &str) -> Option<&SigningKey> {
        self.keys.get(key_id)
    }
}

#[cfg(test)]
mod tests {
    use super::KeySet;

    #[test]
    fn a_set_without_a_usable_key_is_refused() {
        for text in [
            "",
            "[]",
            r#"{"keys":[]}"#,
            r#"{"keys":[{"kty":"oct","kid":"a","k":"AAAA"}]}"#,
            r#"{"keys":[{"kty":"RSA","kid":"a","n":"AAAA"}]}"#,
            r#"{"keys":[{"kty":"RSA","kid":"a","use":"enc","n":"AAAA","e":"AQAB"}]}"#,
            r#"{"keys":[{"kty":"EC","crv":"P-256","kid":"a","x":"AAAA","y":"AAAA"}]}"#,
        ] {
            assert!(KeySet::parse(text.as_bytes()).is_err(), "{text}");
        }
        let some = br#"{"keys":[{"kty":"oct"},{"kty":"RSA","kid":"a","n":"AAAA","e":"AQAB"}]}"#;
        assert!(KeySet::parse(some).unwrap().get("a").is_some());
    }
}
