//! The keys of an issuer as it publishes them: `{"keys":[...]}`.
//!
//! Owns parsing the document. Entries that are not public keys for signatures are skipped: an issuer may publish kinds
//! that we do not know.

use std::collections::HashMap;
use std::sync::Arc;

use jsonwebtoken::jwk::Jwk;
use serde_json::Value;

use crate::error::KeySourceError;
use crate::fetch::DOCUMENT_BYTES_MAX;
use crate::key::VerificationKey;

/// Keys by their id.
#[derive(Default)]
pub(crate) struct KeySet {
    keys: HashMap<String, Arc<VerificationKey>>,
    /// The key of an issuer that publishes a single one. Its tokens need not name it.
    only: Option<Arc<VerificationKey>>,
}

#[derive(serde::Deserialize)]
struct KeySetDocument {
    keys: Vec<Value>,
}

impl KeySet {
    pub(crate) fn parse(text: &[u8]) -> Result<Self, KeySourceError> {
        let refused = |why: &str| KeySourceError::new(format!("The key set of the issuer {why}"));
        if text.len() > DOCUMENT_BYTES_MAX {
            return Err(refused(&format!("is longer than {DOCUMENT_BYTES_MAX} bytes")));
        }
        let json: Value = serde_json::from_slice(text).map_err(|_| refused("is not JSON"))?;
        let document: KeySetDocument =
            serde_json::from_value(json).map_err(|_| refused("has no array 'keys'"))?;
        let is_single = document.keys.len() == 1;
        let mut set = Self::default();
        for entry in document.keys {
            let Ok(jwk) = serde_json::from_value::<Jwk>(entry) else { continue };
            let Some(key) = VerificationKey::from_jwk(&jwk).map(Arc::new) else { continue };
            if is_single {
                set.only = Some(Arc::clone(&key));
            }
            if let Some(key_id) = jwk.common.key_id {
                set.keys.insert(key_id, key);
            }
        }
        if set.keys.is_empty() && set.only.is_none() {
            return Err(refused("holds no key for signatures with a 'kid' (RSA, P-256 or P-384)"));
        }
        Ok(set)
    }

    /// The key with an id, or the only one if the token names none.
    pub(crate) fn get(&self, key_id: Option<&str>) -> Option<Arc<VerificationKey>> {
        match key_id {
            Some(key_id) => self.keys.get(key_id).cloned(),
            None => self.only.clone(),
        }
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
        let set = KeySet::parse(some).unwrap();
        assert!(set.get(Some("a")).is_some());
        assert!(set.get(Some("b")).is_none());
        assert!(set.get(None).is_none());
    }

    #[test]
    fn the_key_of_an_issuer_with_one_key_needs_no_name() {
        let one = br#"{"keys":[{"kty":"RSA","n":"AAAA","e":"AQAB"}]}"#;
        assert!(KeySet::parse(one).unwrap().get(None).is_some());
    }
}
