//! The keys an issuer publishes, from a file or an address.
//!
//! Owns when they are read: at first use, when a token names a key that is not there (rotation), and when they are old.
//! Readings have a least distance, so that made-up key ids cannot make us ask without end.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use client::Environment;
use jsonwebtoken::jwk::{Jwk, JwkSet};

/// After this time keys are read again.
const AGE_MS_MAX: u64 = 60 * 60 * 1000;
/// Between two readings lies at least this time.
const DISTANCE_MS_MIN: u64 = 30 * 1000;
const FETCH_MAX: Duration = Duration::from_secs(10);
const KEY_SET_BYTES_MAX: usize = 1024 * 1024;

/// Where the keys are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeySource {
    File(PathBuf),
    Url(reqwest::Url),
}

impl KeySource {
    /// Reads a setting: an address, or else the name of a file. VerificationKeys decide who may enter, so they come
    /// over TLS or from this machine.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text.split_once("://") {
            None if text.is_empty() => Err("no key set is named".to_owned()),
            None => Ok(Self::File(text.into())),
            Some((scheme, _)) => {
                let url: reqwest::Url =
                    text.parse().map_err(|_| format!("'{text}' is no address"))?;
                let is_here = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
                match scheme {
                    "https" => Ok(Self::Url(url)),
                    "http" if is_here => Ok(Self::Url(url)),
                    _ => Err(format!("'{text}' is neither https nor http on this machine")),
                }
            }
        }
    }

    async fn read(&self) -> Result<JwkSet, String> {
        let text = match self {
            Self::File(file) => {
                std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?
            }
            Self::Url(url) => {
                let fetched = tokio::time::timeout(FETCH_MAX, fetch(url.clone())).await;
                let late = |_| Err(format!("no answer in {} s", FETCH_MAX.as_secs()));
                fetched.unwrap_or_else(late).map_err(|why| format!("{url}: {why}"))?
            }
        };
        parse(&text)
    }
}

async fn fetch(url: reqwest::Url) -> Result<Vec<u8>, String> {
    let told = |error: reqwest::Error| error.to_string();
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    let client = client.build().map_err(told)?;
    let mut answer = client.get(url).send().await.map_err(told)?;
    if !answer.status().is_success() {
        return Err(format!("the answer is {}", answer.status()));
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(told)? {
        body.extend_from_slice(&chunk);
        if body.len() > KEY_SET_BYTES_MAX {
            return Err(format!("the key set is longer than {KEY_SET_BYTES_MAX} bytes"));
        }
    }
    Ok(body)
}

/// Entries that cannot be read are passed over: an issuer may publish kinds we do not know.
fn parse(text: &[u8]) -> Result<JwkSet, String> {
    #[derive(serde::Deserialize)]
    struct Published {
        keys: Vec<serde_json::Value>,
    }
    let published: Published = serde_json::from_slice(text)
        .map_err(|_| "the key set is not {\"keys\": [...]}".to_owned())?;
    let keys: Vec<Jwk> =
        published.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok()).collect();
    if keys.is_empty() {
        return Err("the key set holds no key".to_owned());
    }
    Ok(JwkSet { keys })
}

/// The keys, read when needed.
pub(crate) struct KeySet {
    source: KeySource,
    known: Mutex<Known>,
    /// Held while keys are read: one reading at a time.
    reading: tokio::sync::Mutex<()>,
}

#[derive(Clone, Default)]
struct Known {
    keys: Option<Arc<JwkSet>>,
    read_ms: u64,
    tried_ms: Option<u64>,
}

impl Known {
    fn find(&self, key_id: Option<&str>) -> Option<Jwk> {
        let keys = self.keys.as_ref()?;
        match (key_id, keys.keys.as_slice()) {
            (Some(key_id), _) => keys.find(key_id).cloned(),
            // An issuer with one key need not name it.
            (None, [only]) => Some(only.clone()),
            (None, _) => None,
        }
    }
}

impl KeySet {
    pub(crate) fn new(source: KeySource) -> Self {
        let (known, reading) = Default::default();
        Self { source, known, reading }
    }

    /// The key with this id.
    pub(crate) async fn key(
        &self,
        environment: &Environment,
        key_id: Option<&str>,
    ) -> Result<Jwk, String> {
        let now_ms = environment.now().0;
        let found = self.known().find(key_id);
        if let Some(key) = &found
            && !self.is_old(now_ms)
        {
            return Ok(key.clone());
        }
        let reading = match &found {
            // VerificationKeys that were right an hour ago serve until newer ones are here.
            Some(key) => match self.reading.try_lock() {
                Ok(reading) => reading,
                Err(_) => return Ok(key.clone()),
            },
            None => self.reading.lock().await,
        };
        let failed = self.read_again(now_ms, key_id).await;
        drop(reading);
        self.known().find(key_id).ok_or_else(|| match failed {
            Some(why) => format!("the keys of the issuer cannot be read: {why}"),
            None => "the issuer does not publish its key".to_owned(),
        })
    }

    /// Reads the keys unless somebody just did; returns why it could not.
    async fn read_again(&self, now_ms: u64, key_id: Option<&str>) -> Option<String> {
        let known = self.known();
        let is_fresh = known.find(key_id).is_some() && !self.is_old(now_ms);
        let is_soon =
            known.tried_ms.is_some_and(|tried| now_ms.saturating_sub(tried) < DISTANCE_MS_MIN);
        if is_fresh || is_soon {
            return None;
        }
        let read = self.source.read().await;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.tried_ms = Some(now_ms);
        match read {
            Ok(keys) => {
                known.keys = Some(Arc::new(keys));
                known.read_ms = now_ms;
                None
            }
            Err(why) => Some(why),
        }
    }

    fn is_old(&self, now_ms: u64) -> bool {
        let known = self.known();
        known.keys.is_none() || now_ms.saturating_sub(known.read_ms) > AGE_MS_MAX
    }

    fn known(&self) -> Known {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for KeySet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("KeySet").field("source", &self.source).finish_non_exhaustive()
    }
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
        }
    }
}
