//! Signs a request as clients do, for commands that query a running server.
//!
//! Owns the headers of a signed request. Does not own sending it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::account_key::AccountKey;
use super::signed_link::SignedLink;
use crate::http::format_http_date;
use crate::route::RequestPath;

/// Returns the headers that sign a request for a path with the account key. `method` is such as `GET`.
#[must_use]
pub fn sign_request(
    key: &AccountKey,
    method: &str,
    path: &str,
    now_seconds: u64,
) -> Vec<(&'static str, String)> {
    let date = format_http_date(now_seconds);
    let path = RequestPath::parse(path);
    let signed = SignedLink::from_path(&path);
    let (kind, link) = (&signed.resource_type, &signed.decoded);
    // The last line is empty, because the date is in `x-ms-date`.
    let method = method.to_lowercase();
    let payload = format!("{method}\n{kind}\n{link}\n{}\n\n", date.to_lowercase());
    let signature = STANDARD.encode(key.sign(payload.as_bytes()));
    // Base64 contains `+`, `/` and `=`, which clients encode.
    let signature = utf8_percent_encode(&signature, NON_ALPHANUMERIC);
    let authorization = format!("type%3Dmaster%26ver%3D1.0%26sig%3D{signature}");
    vec![("x-ms-date", date), ("authorization", authorization)]
}
