//! An answer of a platform over HTTP: its body is wiped, and never becomes part of an error.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{ETAG, HeaderMap, RETRY_AFTER};
use serde::Deserialize;
use serde_json::Value;
use zeroize::Zeroizing;

use super::error::{PlatformError, PlatformFailure};

/// A larger answer is no secret.
const ANSWER_BYTES_MAX: usize = 8 << 20;

/// An answer of a platform.
pub(crate) struct PlatformAnswer {
    pub(crate) status: StatusCode,
    /// Wiped when dropped.
    pub(crate) body: Zeroizing<Vec<u8>>,
    pub(crate) etag: Option<String>,
    retry_after: Option<Duration>,
}

impl PlatformAnswer {
    /// Reads the whole answer.
    pub(super) async fn receive(
        mut response: reqwest::Response,
        subject: &str,
    ) -> Result<Self, PlatformError> {
        let (status, headers) = (response.status(), response.headers());
        let (retry_after, etag) = (retry_after(headers), text(headers, &ETAG));
        let mut body = Zeroizing::new(Vec::with_capacity(16 << 10));
        let broken = |error: reqwest::Error| PlatformError::unreachable(error, subject);
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            if body.len() + chunk.len() > ANSWER_BYTES_MAX {
                let why = format!("more than {ANSWER_BYTES_MAX} bytes");
                return Err(PlatformError::new(PlatformFailure::Garbage { why }, subject));
            }
            // Growing would leave a copy that nobody wipes.
            if body.capacity() < body.len() + chunk.len() {
                let mut larger = Zeroizing::new(Vec::with_capacity((body.len() + chunk.len()) * 2));
                larger.extend_from_slice(&body);
                body = larger;
            }
            body.extend_from_slice(&chunk);
            // The bytes of the connection are ours alone in most cases; then they are wiped, too.
            if let Ok(mut chunk) = chunk.try_into_mut() {
                zeroize::Zeroize::zeroize(chunk.as_mut());
            }
        }
        Ok(Self { status, body, etag, retry_after })
    }

    /// Parses a body that holds no values, or only in types that hide them.
    pub(crate) fn parse<'a, T: Deserialize<'a>>(
        &'a self,
        subject: &str,
    ) -> Result<T, PlatformError> {
        serde_json::from_slice(&self.body).map_err(|error| {
            // Neither the text of the error nor the body: both may hold values.
            let why = format!("no JSON of the expected shape (column {})", error.column());
            PlatformError::new(PlatformFailure::Garbage { why }, subject)
        })
    }

    /// What an answer that is no success means.
    pub(crate) fn require_success(&self, subject: &str) -> Result<(), PlatformError> {
        let failure = match self.status.as_u16() {
            200..=299 => return Ok(()),
            400 if self.says("check-and-set") => PlatformFailure::VersionConflict,
            401 | 403 => PlatformFailure::Denied,
            404 => PlatformFailure::Missing,
            412 => PlatformFailure::VersionConflict,
            429 if self.says("standby") => PlatformFailure::Standby,
            429 => PlatformFailure::Busy { retry_after: self.retry_after },
            473 => PlatformFailure::Standby,
            503 if self.says("sealed") => PlatformFailure::Sealed,
            503 if self.retry_after.is_some() => {
                PlatformFailure::Busy { retry_after: self.retry_after }
            }
            status if status >= 500 => {
                PlatformFailure::Unreachable { why: format!("status {status}") }
            }
            status => PlatformFailure::Refused { status },
        };
        Err(PlatformError::new(failure, subject))
    }

    /// Whether one of the errors of a Vault contains a text.
    fn says(&self, text: &str) -> bool {
        let body: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let errors = body.get("errors").and_then(Value::as_array).cloned().unwrap_or_default();
        let lower = |error: &Value| error.as_str().unwrap_or_default().to_ascii_lowercase();
        errors.iter().any(|error| lower(error).contains(text))
    }
}

fn text(headers: &HeaderMap, name: &reqwest::header::HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    text(headers, &RETRY_AFTER)?.parse().ok().map(Duration::from_secs)
}
