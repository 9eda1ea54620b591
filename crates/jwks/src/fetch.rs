//! Reading a document of an issuer over HTTP.
//!
//! Owns the limits: only TLS or this machine, no redirects, a time and a size. Does not own what a document says.

use std::time::Duration;

use reqwest::Url;
use reqwest::redirect::Policy;

use crate::error::KeySourceError;

const FETCH_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum size of a document, in bytes.
pub(crate) const DOCUMENT_BYTES_MAX: usize = 1024 * 1024;

/// Parses an address that may be trusted: https, or http on this machine. `what` names it in the error.
pub(crate) fn parse_url(what: &str, text: &str) -> Result<Url, KeySourceError> {
    let refused = || {
        KeySourceError::new(format!(
            "The address of the {what} is '{text}'; use one with https, or with http on this machine"
        ))
    };
    let url: Url = text.parse().map_err(|_| refused())?;
    let is_local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_local => Ok(url),
        _ => Err(refused()),
    }
}

/// Reads the document at an address. `what` names it in the error.
pub(crate) async fn fetch(what: &str, url: Url) -> Result<Vec<u8>, KeySourceError> {
    let address = url.to_string();
    let why = match tokio::time::timeout(FETCH_TIMEOUT, fetch_body(url)).await {
        Ok(Ok(body)) => return Ok(body),
        Ok(Err(why)) => why,
        Err(_) => format!("no answer in {} s", FETCH_TIMEOUT.as_secs()),
    };
    Err(KeySourceError::new(format!("The {what} at {address} cannot be fetched: {why}")))
}

async fn fetch_body(url: Url) -> Result<Vec<u8>, String> {
    let describe = |error: reqwest::Error| error.to_string();
    // A redirect could lead to an address without TLS.
    let client = reqwest::Client::builder().redirect(Policy::none()).build().map_err(describe)?;
    let request = client.get(url).header("accept", "application/json");
    let mut response = request.send().await.map_err(describe)?;
    if !response.status().is_success() {
        return Err(format!("the answer is {}", response.status()));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(describe)? {
        body.extend_from_slice(&chunk);
        if body.len() > DOCUMENT_BYTES_MAX {
            return Err(format!("it is longer than {DOCUMENT_BYTES_MAX} bytes"));
        }
    }
    Ok(body)
}
