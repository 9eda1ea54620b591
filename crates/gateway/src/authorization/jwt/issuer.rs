//! The issuer whose tokens are believed, with the keys it signs with.
//!
//! Owns when the keys are read: at first use, when a token names a key we do not have, and when they are old. Readings
//! have a least distance, so that made-up key ids cannot make us ask without end. Does not own how they are fetched.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use engine::Environment;
use hyper::StatusCode;
use model::ValidationError;
use tokio::sync::Mutex;

use super::claims::Claims;
use super::fetch;
use super::key_set::KeySet;
use super::signing_key::SigningKey;
use super::token::Token;
use crate::exchange::{Failure, Outcome};

/// After this time keys are read again, in milliseconds.
const AGE_MS_MAX: u64 = 60 * 60 * 1000;
/// Between two readings lies at least this time, in milliseconds.
const DISTANCE_MS_MIN: u64 = 30 * 1000;

/// Where the keys of an issuer are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// A file, read again when a key is not in it.
    File(PathBuf),
    /// An address, https or on this machine.
    Url(String),
}

/// An issuer of bearer tokens, and for whom they must be meant.
#[derive(Debug)]
pub struct Issuer {
    name: String,
    audiences: Vec<String>,
    source: KeySource,
    known: std::sync::Mutex<Known>,
    /// Held while keys are read: one reading at a time.
    reading: Mutex<()>,
}

#[derive(Clone, Debug, Default)]
struct Known {
    keys: Arc<KeySet>,
    read_ms: Option<u64>,
    tried_ms: Option<u64>,
}

impl Known {
    fn is_old(&self, now_ms: u64) -> bool {
        self.read_ms.is_none_or(|read| now_ms.saturating_sub(read) > AGE_MS_MAX)
    }
}

impl Issuer {
    /// An issuer by the name in its tokens.
    ///
    /// # Errors
    /// [`ValidationError`] without a name, without an audience, or when keys cannot come from where they are said to be.
    pub fn new(name: &str, audiences: Vec<String>, source: KeySource) -> model::Result<Self> {
        if name.is_empty() {
            return Err(ValidationError::new(
                "The issuer has no name. Give the text of 'iss' in its tokens.",
            ));
        }
        if audiences.is_empty() {
            return Err(ValidationError::new(
                "No audience is given. Give the text of 'aud' in the tokens meant for this account.",
            ));
        }
        match &source {
            KeySource::File(file) => read_file(file).map(drop)?,
            KeySource::Url(url) => fetch::check(url)?,
        }
        let name = name.to_owned();
        let (known, reading) = Default::default();
        Ok(Self { name, audiences, source, known, reading })
    }

    /// The caller of a token, when it is signed by this issuer, meant for us and alive.
    pub(crate) async fn authenticate(
        &self,
        environment: &Environment,
        token: &Token<'_>,
    ) -> Outcome<Claims> {
        let algorithm = token.head("alg").unwrap_or("none");
        if token.head.get("crit").is_some() {
            return Err(unauthorized(5003, "demands extensions ('crit') that are not known here"));
        }
        let key_id = token.head("kid");
        let key_id = key_id.ok_or_else(|| unauthorized(5003, "does not name its key ('kid')"))?;
        let key = self.key(environment, key_id).await?;
        if !key.verify(algorithm, token.signed.as_bytes(), &token.signature) {
            let why = format!("is not signed by the key '{key_id}' under '{algorithm}'");
            return Err(unauthorized(5004, &why));
        }
        let now_seconds = environment.now().seconds().0;
        Claims::of(&token.claims()?, &self.name, &self.audiences, now_seconds)
    }

    async fn key(&self, environment: &Environment, key_id: &str) -> Outcome<SigningKey> {
        let now_ms = environment.now().0;
        let known = self.known();
        let key = known.keys.get(key_id);
        if let Some(key) = key.filter(|_| !known.is_old(now_ms)) {
            return Ok(key.clone());
        }
        let reading = match key {
            // Keys that were right an hour ago serve until newer ones are here.
            Some(key) => match self.reading.try_lock() {
                Ok(reading) => reading,
                Err(_) => return Ok(key.clone()),
            },
            None => self.reading.lock().await,
        };
        let failed = self.read_again(now_ms, key_id).await;
        drop(reading);
        self.known().keys.get(key_id).cloned().ok_or_else(|| {
            let why = match failed {
                Some(invalid) => format!("cannot be checked: {}", invalid.message()),
                None => format!("is signed by '{key_id}', a key its issuer does not publish"),
            };
            unauthorized(5200, &why)
        })
    }

    /// Reads the keys unless somebody just did; returns why it could not.
    async fn read_again(&self, now_ms: u64, key_id: &str) -> Option<ValidationError> {
        let known = self.known();
        let tried_ms =
            known.tried_ms.filter(|tried| now_ms.saturating_sub(*tried) < DISTANCE_MS_MIN);
        let has_key = known.keys.get(key_id).is_some() && !known.is_old(now_ms);
        if has_key || tried_ms.is_some() {
            return None;
        }
        let read = self.read().await;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.tried_ms = Some(now_ms);
        match read {
            Ok(keys) => {
                known.keys = Arc::new(keys);
                known.read_ms = Some(now_ms);
                None
            }
            Err(invalid) => Some(invalid),
        }
    }

    fn known(&self) -> Known {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn read(&self) -> model::Result<KeySet> {
        match &self.source {
            KeySource::File(file) => read_file(file),
            KeySource::Url(url) => KeySet::parse(&fetch::get(url).await?),
        }
    }
}

fn read_file(file: &PathBuf) -> model::Result<KeySet> {
    let text = std::fs::read(file).map_err(|error| {
        ValidationError::new(format!("The key set {} cannot be read: {error}.", file.display()))
    })?;
    KeySet::parse(&text)
}

fn unauthorized(sub_status: u32, why: &str) -> Failure {
    let message = format!("The bearer token {why}.");
    Failure::new(StatusCode::UNAUTHORIZED, message).sub_status(sub_status)
}
