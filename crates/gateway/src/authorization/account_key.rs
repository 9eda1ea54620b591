//! The account key: the secret that signs requests.
//!
//! Owns its text and its signatures. `Debug` never prints the text.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

/// The well-known key of every emulator of the service. It is public, so it protects nothing.
pub const EMULATOR_KEY: &str =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

/// A shorter key can be guessed. The keys of the service have 64 bytes.
const KEY_BYTES_MIN: usize = 16;

/// The secret that signs requests.
#[derive(Clone)]
pub struct AccountKey {
    text: String,
    // Prepared once: deriving the inner and outer pads for each request would double the cost of a check.
    key: hmac::Key,
}

impl AccountKey {
    /// Parses the base64 text of a key.
    ///
    /// # Errors
    /// [`model::ValidationError`] when the text is not base64 or empty.
    pub fn parse(text: &str) -> model::Result<Self> {
        let text = text.trim();
        // An empty key would make every signature valid that is computed with an empty key.
        let bytes = STANDARD.decode(text).ok().filter(|bytes| !bytes.is_empty());
        let bytes = bytes.ok_or_else(|| {
            model::ValidationError::new(
                "The account key is not base64. Generate one with `head -c 64 /dev/urandom | base64 -w0`.",
            )
        })?;
        Ok(Self { text: text.to_owned(), key: hmac::Key::new(hmac::HMAC_SHA256, &bytes) })
    }

    /// The key of the emulators.
    ///
    /// # Panics
    /// Never: the text is base64.
    #[must_use]
    pub fn emulator() -> Self {
        Self::parse(EMULATOR_KEY).expect("the well-known key is base64")
    }

    /// Whether a text is this key, compared in constant time.
    pub(crate) fn is_same_text(&self, text: &str) -> bool {
        let code = hmac::sign(&self.key, self.text.as_bytes());
        hmac::verify(&self.key, text.as_bytes(), code.as_ref()).is_ok()
    }

    /// Whether this is the well-known key of the emulators.
    #[must_use]
    pub fn is_well_known(&self) -> bool {
        self.text == EMULATOR_KEY
    }

    /// Whether the key is so short that it can be guessed from one signed request, without asking the server.
    #[must_use]
    pub fn is_guessable(&self) -> bool {
        // Four characters of base64 are three bytes.
        self.text.trim_end_matches('=').len() * 3 / 4 < KEY_BYTES_MIN
    }

    /// The base64 text, for connection strings.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn sign(&self, payload: &[u8]) -> Vec<u8> {
        hmac::sign(&self.key, payload).as_ref().to_vec()
    }

    /// Checks a signature in constant time.
    pub(super) fn verify(&self, payload: &[u8], signature: &[u8]) -> bool {
        hmac::verify(&self.key, payload, signature).is_ok()
    }
}

impl fmt::Debug for AccountKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AccountKey(secret)")
    }
}

#[cfg(test)]
mod tests {
    use super::AccountKey;

    #[test]
    fn a_key_of_fewer_than_sixteen_bytes_is_guessable() {
        let is_guessable = |text| AccountKey::parse(text).unwrap().is_guessable();
        assert!(is_guessable("AAAA"));
        assert!(is_guessable("AAAAAAAAAAAAAAAAAAAA"));
        assert!(!is_guessable("AAAAAAAAAAAAAAAAAAAAAA=="));
        assert!(!AccountKey::emulator().is_guessable());
    }
}
