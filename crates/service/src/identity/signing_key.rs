//! The secret with which a service signs what it hands out and wants back unchanged: cursors, sessions, links.
//!
//! Owns the signature: HMAC-SHA-256 over parts, each with its length, so that no two lists of parts read the same. What
//! is signed for one purpose is worthless for another, because each purpose derives its own key.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};

use crate::settings::Secret;

/// Signs and checks; never printed.
#[derive(Clone)]
pub struct SigningKey(hmac::Key);

impl SigningKey {
    /// The key of a secret from the settings, the same in every instance of a service.
    #[must_use]
    pub fn from_secret(secret: &Secret) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, secret.expose().as_bytes()))
    }

    /// A key that nobody else has and that ends with the program. It comes from the operating system and not from the
    /// environment, because a secret that a seed repeats is none.
    #[must_use]
    pub fn random() -> Self {
        let mut bytes = [0; 32];
        SystemRandom::new().fill(&mut bytes).expect("the operating system has randomness to give");
        Self(hmac::Key::new(hmac::HMAC_SHA256, &bytes))
    }

    /// The key of a secret, or a random one when nobody gave a secret.
    #[must_use]
    pub fn from_secret_or_random(secret: &Secret) -> Self {
        if secret.is_set() { Self::from_secret(secret) } else { Self::random() }
    }

    /// Another key, for this purpose only.
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

    /// Whether a signature is ours, in constant time.
    #[must_use]
    pub fn verify(&self, parts: &[&[u8]], signature: &[u8]) -> bool {
        hmac::verify(&self.0, &framed(parts), signature).is_ok()
    }

    /// Whether a signature as text is ours.
    #[must_use]
    pub fn verify_text(&self, parts: &[&[u8]], signature: &str) -> bool {
        URL_SAFE_NO_PAD.decode(signature).is_ok_and(|signature| self.verify(parts, &signature))
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

/// The parts with their lengths.
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
