//! Where the keys of an issuer come from: a file, or an address.
//!
//! Owns reading the document, with limits on time and size and without redirects. Keys decide who may enter, so an
//! address must use TLS or be on this machine.

use std::path::PathBuf;
use std::time::Duration;

use crate::error::KeySourceError;
use crate::key_set::{KEY_SET_BYTES_MAX, KeySet};

const FETCH_TIMEOUT: Duration = Duration::from_secs(10);

/// Where the keys of an issuer are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// A file.
    File(PathBuf),
    /// An address: https, or http on this machine.
    Url(String),
}

impl KeySource {
    /// Parses a setting: an address, or else the name of a file.
    ///
    /// # Errors
    /// When the text is empty, or an address that is neither https nor on this machine.
    pub fn parse(text: &str) -> Result<Self, KeySourceError> {
        if text.is_empty() {
            return Err(KeySourceError::new("no key set is named"));
        }
        if !text.contains("://") {
            return Ok(Self::File(text.into()));
        }
        parse_url(text).map(|_| Self::Url(text.to_owned()))
    }

    /// Checks what can be checked without the network: an address by its form, a file by reading it.
    ///
    /// # Errors
    /// When no keys can come from here.
    pub fn check(&self) -> Result<(), KeySourceError> {
        match self {
            Self::File(file) => read_file(file).map(drop),
            Self::Url(url) => parse_url(url).map(drop),
        }
    }

    pub(crate) async fn read(&self) -> Result<KeySet, KeySourceError> {
        match self {
            Self::File(file) => read_file(file),
            Self::Url(url) => {
                let fetched = tokio::time::timeout(FETCH_TIMEOUT, fetch(parse_url(url)?)).await;
                let why = match fetched {
                    Ok(Ok(body)) => return KeySet::parse(&body),
                    Ok(Err(why)) => why,
                    Err(_) => format!("no answer in {} s", FETCH_TIMEOUT.as_secs()),
                };
                Err(KeySourceError::new(format!("The key set at {url} cannot be fetched: {why}")))
            }
        }
    }
}

fn parse_url(text: &str) -> Result<reqwest::Url, KeySourceError> {
    let refused = || {
        KeySourceError::new(format!(
            "The address of the key set is '{text}'; use one with https, or with http on this machine"
        ))
    };
    let url: reqwest::Url = text.parse().map_err(|_| refused())?;
    let is_local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_local => Ok(url),
        _ => Err(refused()),
    }
}

fn read_file(file: &PathBuf) -> Result<KeySet, KeySourceError> {
    let text = std::fs::read(file).map_err(|error| {
        KeySourceError::new(format!("The key set {} cannot be read: {error}", file.display()))
    })?;
    KeySet::parse(&text)
}

async fn fetch(url: reqwest::Url) -> Result<Vec<u8>, String> {
    let describe = |error: reqwest::Error| error.to_string();
    // A redirect could lead to an address without TLS.
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    let client = client.build().map_err(describe)?;
    let request = client.get(url).header("accept", "application/json");
    let mut response = request.send().await.map_err(describe)?;
    if !response.status().is_success() {
        return Err(format!("the answer is {}", response.status()));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(describe)? {
        body.extend_from_slice(&chunk);
        if body.len() > KEY_SET_BYTES_MAX {
            return Err(format!("it is longer than {KEY_SET_BYTES_MAX} bytes"));
        }
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::KeySource;

    #[test]
    fn keys_come_over_tls_or_from_this_machine() {
        for text in
            ["https://issuer.example/keys", "http://localhost:8/k", "http://[::1]/k", "keys.json"]
        {
            assert!(KeySource::parse(text).is_ok(), "{text}");
        }
        for text in ["http://issuer.example/keys", "ftp://localhost/k", "", "https://"] {
            assert!(KeySource::parse(text).is_err(), "{text}");
            assert!(KeySource::Url(text.to_owned()).check().is_err(), "{text}");
        }
        assert!(KeySource::Url("keys.json".to_owned()).check().is_err());
        assert!(KeySource::File("missing.json".into()).check().is_err());
    }
}
