//! The key with which a service signs what callers must return unchanged: cursors, sessions, links.
//!
//! Owns the signature: HMAC-SHA-256 over a list of parts, each preceded by its length. Without the lengths, `["ab",
//! "c"]` and `["a", "bc"]` would have the same signature. Each purpose derives its own key, so a cursor can never pass
//! as a session.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::settings::Secret;

/// Signs and verifies. `Debug` does not print it.
#[derive(Clone)]
pub struct SigningKey(hmac::Key);

impl SigningKey {
    /// The key for a secret from the settings, the same in every instance of a service.
    #[must_use]
    pub fn from_secret(secret: &Secret) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, secret.expose().as_bytes()))
    }

    /// A random key that ends with the process. It comes from the operating system and not from the environment,
    /// because a key that a seed reproduces is not secret.
    #[must_use]
    pub fn random() -> Self {
        let mut bytes = [0; 32];
        SystemRandom::new().fill(&mut bytes).expect("the operating system has randomness to give");
        Self(hmac::Key::new(hmac::HMAC_SHA256, &bytes))
    }

    /// The key for a secret, or a random one if the secret is not set.
    #[must_use]
    pub fn from_secret_or_random(secret: &Secret) -> Self {
        if secret.is_set() { Self::from_secret(secret) } else { Self::random() }
    }

    /// Derives the key for one purpose.
    #[must_use]
    pub fn derive(&self, purpose: &str) -> Self {
        let tag = self.tag(&[b"derive", purpose.as_bytes()]);
        Self(hmac::Key::new(hmac::HMAC_SHA256, tag.as_ref()))
    }

    /// The signature of some parts.
    #[must_use]
    pub fn sign(&self, parts: &[&[u8]]) -> Vec<u8> {
        self.tag(parts).as_ref().to_vec()
    }

    /// The signature as text for a URL or a cookie.
    #[must_use]
    pub fn sign_text(&self, parts: &[&[u8]]) -> String {
        URL_SAFE_NO_PAD.encode(self.tag(parts))
    }

    /// Verifies a signature, in constant time.
    #[must_use]
    pub fn verify(&self, parts: &[&[u8]], signature: &[u8]) -> bool {
        // Constant time; a comparison with `==` would reveal how many bytes are right.
        hmac::verify(&self.0, &framed(parts), signature).is_ok()
    }

    /// Verifies a signature given as text.
    #[must_use]
    pub fn verify_text(&self, parts: &[&[u8]], signature: &str) -> bool {
        URL_SAFE_NO_PAD.decode(signature).is_ok_and(|signature| self.verify(parts, &signature))
    }

    /// A value as signed text for a URL or a cookie: base64 of its JSON, a dot, and the signature.
    #[must_use]
    pub(super) fn sign_json<T: Serialize>(&self, value: &T) -> String {
        let body = URL_SAFE_NO_PAD.encode(serde_json::to_vec(value).unwrap_or_default());
        let signature = self.sign_text(&[body.as_bytes()]);
        format!("{body}.{signature}")
    }

    /// The value of a signed text; `None` if it was not signed with this key.
    #[must_use]
    pub(super) fn verify_json<T: DeserializeOwned>(&self, text: &str) -> Option<T> {
        let (body, signature) = text.split_once('.')?;
        // Verify before decoding: nothing unsigned reaches the JSON parser.
        if !self.verify_text(&[body.as_bytes()], signature) {
            return None;
        }
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(body).ok()?).ok()
    }

    fn tag(&self, parts: &[&[u8]]) -> hmac::Tag {
        hmac::sign(&self.0, &framed(parts))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SigningKey(secret)")
    }
}

/// The parts, each preceded by its length.
fn framed(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::SigningKey;
    use crate::settings::Secret;

    #[test]
    fn parts_cannot_be_moved_between_each_other() {
        let key = SigningKey::from_secret(&Secret::new("s"));
        let signature = key.sign(&[b"ab", b"c"]);
        assert!(key.verify(&[b"ab", b"c"], &signature));
        assert!(!key.verify(&[b"a", b"bc"], &signature));
        assert!(!key.verify(&[b"ab", b"c", b""], &signature));
        assert!(!key.derive("other").verify(&[b"ab", b"c"], &signature));
        assert!(!key.verify(&[b"ab", b"c"], &signature[..31]));
        assert!(!key.verify(&[b"ab", b"c"], b""));
    }
}
