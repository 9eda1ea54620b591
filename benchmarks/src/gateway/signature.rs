//! Signatures of requests by the account key, as clients make them.
//!
//! Owns the payload and its form in the header. The date is the server's own, so no clock is needed here.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

use crate::Result;

/// Signs requests of one moment.
pub(super) struct Signer {
    key: hmac::Key,
    date: String,
}

/// What is signed of a request besides its date.
pub(super) struct Signed<'request> {
    pub(super) verb: &'static str,
    pub(super) resource_type: &'static str,
    pub(super) link: &'request str,
}

impl Signer {
    /// A signer with a key in base64 and a date as HTTP has it.
    pub(super) fn new(key: &str, date: &str) -> Result<Self> {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &STANDARD.decode(key)?);
        Ok(Self { key, date: date.to_owned() })
    }

    pub(super) fn date(&self) -> &str {
        &self.date
    }

    /// The value of the header `authorization`.
    pub(super) fn authorization(&self, signed: &Signed<'_>) -> String {
        let Signed { verb, resource_type, link } = signed;
        let verb = verb.to_ascii_lowercase();
        let date = self.date.to_ascii_lowercase();
        let payload = format!("{verb}\n{resource_type}\n{link}\n{date}\n\n");
        let signature = STANDARD.encode(hmac::sign(&self.key, payload.as_bytes()));
        let escaped = signature.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
        format!("type%3Dmaster%26ver%3D1.0%26sig%3D{escaped}")
    }
}
