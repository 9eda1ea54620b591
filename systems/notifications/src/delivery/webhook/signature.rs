//! The signature of a webhook request, by the public convention "Standard Webhooks", for which there are libraries in
//! most languages.
//!
//! The signed text is `<id>.<timestamp>.<body>`, the signature is its HMAC-SHA256.

use std::fmt;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

use service::settings::Secret;

/// The shortest secret: shorter ones could be guessed.
const SECRET_BYTES_MIN: usize = 24;
const PREFIX: &str = "whsec_";
/// How far the clocks of sender and receiver may differ. It also bounds how long a recorded request can be replayed.
const TOLERANCE: Duration = Duration::from_secs(5 * 60);

/// Signs requests, and verifies them in a receiver.
pub struct WebhookSigner {
    key: hmac::Key,
}

impl fmt::Debug for WebhookSigner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("WebhookSigner(hidden)")
    }
}

impl WebhookSigner {
    /// A signer with this secret: `whsec_` and base64, or the bytes of any other text.
    ///
    /// # Errors
    /// What is wrong with it, without repeating the secret.
    pub fn new(secret: &Secret) -> Result<Self, String> {
        let bytes = match secret.expose().strip_prefix(PREFIX) {
            Some(encoded) => {
                STANDARD.decode(encoded).map_err(|_| format!("is not base64 after {PREFIX}"))?
            }
            None => secret.expose().as_bytes().to_vec(),
        };
        if bytes.len() < SECRET_BYTES_MIN {
            return Err(format!("has {} bytes; it needs at least {SECRET_BYTES_MIN}", bytes.len()));
        }
        Ok(Self { key: hmac::Key::new(hmac::HMAC_SHA256, &bytes) })
    }

    /// The value of the header `webhook-signature`.
    #[must_use]
    pub fn sign(&self, id: &str, timestamp_seconds: u64, body: &[u8]) -> String {
        let tag = hmac::sign(&self.key, &signed_text(id, timestamp_seconds, body));
        format!("v1,{}", STANDARD.encode(tag.as_ref()))
    }

    /// Whether one of the signatures in the header is valid and the timestamp is recent.
    #[must_use]
    pub fn verify(
        &self,
        id: &str,
        timestamp: &str,
        body: &[u8],
        signatures: &str,
        now_seconds: u64,
    ) -> bool {
        let Ok(timestamp_seconds) = timestamp.parse::<u64>() else {
            return false;
        };
        let is_fresh = timestamp_seconds.abs_diff(now_seconds) <= TOLERANCE.as_secs();
        let signed = signed_text(id, timestamp_seconds, body);
        let is_ours = |signature: &str| {
            let encoded = signature.strip_prefix("v1,").unwrap_or_default();
            let tag = STANDARD.decode(encoded).unwrap_or_default();
            hmac::verify(&self.key, &signed, &tag).is_ok()
        };
        // A header may have several signatures while a secret is being replaced.
        is_fresh && signatures.split(' ').any(is_ours)
    }
}

fn signed_text(id: &str, timestamp_seconds: u64, body: &[u8]) -> Vec<u8> {
    let mut signed = format!("{id}.{timestamp_seconds}.").into_bytes();
    signed.extend_from_slice(body);
    signed
}
