//! Fingerprints: HMAC-SHA-256 over the keys and values of a secret, with a key of the operator.
//!
//! Owns the form. Without the key, a fingerprint says nothing about a value, not even about a short one.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::{digest, hmac};

use super::value::SecretData;

/// Makes fingerprints. Those of different keys cannot be compared.
#[derive(Clone)]
pub struct FingerprintKey {
    key: hmac::Key,
    id: String,
}

impl FingerprintKey {
    /// The key from a secret of the operator: fingerprints can be compared across runs.
    #[must_use]
    pub fn from_secret(secret: &[u8]) -> Self {
        let digest = digest::digest(&digest::SHA256, &[b"key id", secret].concat());
        let id = URL_SAFE_NO_PAD.encode(digest.as_ref().get(..6).unwrap_or_default());
        Self { key: hmac::Key::new(hmac::HMAC_SHA256, secret), id }
    }

    /// Which key this is; says nothing about it.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The fingerprint of a secret. The lengths are part of it, so that no two different secrets give the same input.
    #[must_use]
    pub fn fingerprint(&self, data: &SecretData) -> String {
        let mut context = hmac::Context::with_key(&self.key);
        let mut part = |bytes: &[u8]| {
            context.update(&(bytes.len() as u64).to_be_bytes());
            context.update(bytes);
        };
        for (key, value) in data.iter() {
            part(key.as_bytes());
            part(&value.canonical());
        }
        URL_SAFE_NO_PAD.encode(context.sign())
    }
}

impl std::fmt::Debug for FingerprintKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "FingerprintKey({})", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::SecretValue;

    fn print(key: &str, pairs: &[(&str, &str)]) -> String {
        let data = pairs.iter().fold(SecretData::new(), |data, (key, text)| {
            data.with(*key, SecretValue::from_text(text))
        });
        FingerprintKey::from_secret(key.as_bytes()).fingerprint(&data)
    }

    #[test]
    fn equal_data_and_keys_and_nothing_else_give_equal_fingerprints() {
        assert_eq!(print("k", &[("a", "1"), ("b", "2")]), print("k", &[("b", "2"), ("a", "1")]));
        let others = [
            print("other", &[("a", "1"), ("b", "2")]),
            print("k", &[("a", "1")]),
            print("k", &[("a", "12"), ("b", "")]),
            print("k", &[("a1", ""), ("b", "2")]),
            print("k", &[]),
        ];
        let one = print("k", &[("a", "1"), ("b", "2")]);
        assert!(!others.contains(&one) && one.len() == 43);
    }
}
