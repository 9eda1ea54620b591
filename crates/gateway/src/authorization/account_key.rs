//! The account key: the secret that signs requests.
//!
//! Owns its text and its use. Its text is never printed by `Debug`.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

/// The key every emulator of the service is known by; everybody knows it, so it protects nothing.
pub const EMULATOR_KEY: &str =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

/// The secret that signs requests.
#[derive(Clone)]
pub struct AccountKey {
    text: String,
    key: hmac::Key,
}

impl AccountKey {
    /// Reads the base64 text of a key.
    ///
    /// # Errors
    /// [`model::ValidationError`] when the text is not base64 or empty.
    pub fn parse(text: &str) -> model::Result<Self> {
        let text = text.trim();
        let bytes = STANDARD.decode(text).ok().filter(|bytes| !bytes.is_empty());
        let bytes = bytes.ok_or_else(|| {
            model::ValidationError::new(
                "The account key is not base64. Make one with `head -c 64 /dev/urandom | base64 -w0`.",
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

    /// Whether this is the key everybody knows.
    #[must_use]
    pub fn is_well_known(&self) -> bool {
        self.text == EMULATOR_KEY
    }

    /// The text, for the connection string.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn sign(&self, payload: &[u8]) -> Vec<u8> {
        hmac::sign(&self.key, payload).as_ref().to_vec()
    }

    /// Compares in constant time.
    pub(crate) fn verify(&self, payload: &[u8], signature: &[u8]) -> bool {
        hmac::verify(&self.key, payload, signature).is_ok()
    }
}

impl fmt::Debug for AccountKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AccountKey(secret)")
    }
}
