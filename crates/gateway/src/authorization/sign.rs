//! Signing a request of our own, the way clients do: for commands that ask a running server.
//!
//! Owns the headers of a signed GET. Does not own sending it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::account_key::AccountKey;
use super::signed_link::SignedLink;
use crate::exchange::http_date;
use crate::route::Path;

/// The headers that make a GET of a path one of somebody who has the account key.
#[must_use]
pub fn signed_get(key: &AccountKey, path: &str, now_seconds: u64) -> Vec<(&'static str, String)> {
    let date = http_date(now_seconds);
    let path = Path::parse(path);
    let signed = SignedLink::of(&path);
    let (kind, link) = (&signed.resource_type, &signed.usual);
    let payload = format!("get\n{kind}\n{link}\n{}\n\n", date.to_lowercase());
    let signature = STANDARD.encode(key.sign(payload.as_bytes()));
    let mut authorization = String::from("type%3Dmaster%26ver%3D1.0%26sig%3D");
    for character in signature.chars() {
        match character {
            '+' => authorization.push_str("%2B"),
            '/' => authorization.push_str("%2F"),
            '=' => authorization.push_str("%3D"),
            other => authorization.push(other),
        }
    }
    vec![("x-ms-date", date), ("authorization", authorization)]
}
