//! Where the keys of an issuer come from: a file, an address, or the description that the issuer publishes.
//!
//! Owns reading the document. Keys decide who may enter, so an address must use TLS or be on this machine; see `fetch`.

use std::path::PathBuf;

use crate::error::KeySourceError;
use crate::fetch::{fetch, parse_url};
use crate::issuer::IssuerMetadata;
use crate::key_set::KeySet;

const KEY_SET: &str = "key set";

/// Where the keys of an issuer are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// A file.
    File(PathBuf),
    /// An address: https, or http on this machine.
    Url(String),
    /// An issuer that publishes a description of itself, which names the address of its keys.
    Issuer(String),
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
        parse_url(KEY_SET, text).map(|_| Self::Url(text.to_owned()))
    }

    /// Checks what can be checked without the network: an address by its form, a file by reading it.
    ///
    /// # Errors
    /// When no keys can come from here.
    pub fn check(&self) -> Result<(), KeySourceError> {
        match self {
            Self::File(file) => read_file(file).map(drop),
            Self::Url(url) => parse_url(KEY_SET, url).map(drop),
            Self::Issuer(issuer) => IssuerMetadata::check_issuer(issuer),
        }
    }

    pub(crate) async fn read(&self) -> Result<KeySet, KeySourceError> {
        match self {
            Self::File(file) => read_file(file),
            Self::Url(url) => read_url(url).await,
            // Read again each time: an issuer may move its keys.
            Self::Issuer(issuer) => read_url(&IssuerMetadata::fetch(issuer).await?.jwks_uri).await,
        }
    }
}

async fn read_url(url: &str) -> Result<KeySet, KeySourceError> {
    KeySet::parse(&fetch(KEY_SET, parse_url(KEY_SET, url)?).await?)
}

fn read_file(file: &PathBuf) -> Result<KeySet, KeySourceError> {
    let text = std::fs::read(file).map_err(|error| {
        KeySourceError::new(format!("The key set {} cannot be read: {error}", file.display()))
    })?;
    KeySet::parse(&text)
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
