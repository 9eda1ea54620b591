//! Signs requests with the account key, as clients do.
//!
//! Uses the server's date, so no clock is needed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

use crate::Result;

/// Signs requests with one date.
pub(super) struct Signer {
    key: hmac::Key,
    date: String,
}

/// The signed parts of a request besides its date.
pub(super) struct SignedRequest<'request> {
    pub(super) verb: &'static str,
    pub(super) resource_type: &'static str,
    pub(super) link: &'request str,
}

impl Signer {
    /// A signer with a base64 key and an HTTP date.
    pub(super) fn new(key: &str, date: &str) -> Result<Self> {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &STANDARD.decode(key)?);
        Ok(Self { key, date: date.to_owned() })
    }

    pub(super) fn date(&self) -> &str {
        &self.date
    }

    /// The value of the header `authorization`.
    pub(super) fn authorization(&self, signed: &SignedRequest<'_>) -> String {
        let SignedRequest { verb, resource_type, link } = signed;
        let verb = verb.to_ascii_lowercase();
        let date = self.date.to_ascii_lowercase();
        let payload = format!("{verb}\n{resource_type}\n{link}\n{date}\n\n");
        let signature = STANDARD.encode(hmac::sign(&self.key, payload.as_bytes()));
        let escaped = signature.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
        format!("type%3Dmaster%26ver%3D1.0%26sig%3D{escaped}")
    }
}
