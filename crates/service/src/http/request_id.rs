//! The name of one request of a caller, from its header or made here; in every answer and log line.
//!
//! Owns what a name may look like. A caller's own name is taken only when it can neither break a log line nor fill it.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use client::Environment;

use super::problem::Problem;

/// The header, both ways.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const CHARS_MAX: usize = 64;

/// Names one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// The caller's, when it is sane; otherwise a new one.
    pub(crate) fn of(headers: &HeaderMap, environment: &Environment) -> Self {
        let given = headers.get(X_REQUEST_ID).and_then(|value| value.to_str().ok());
        match given.filter(|text| is_sane(text)) {
            Some(text) => Self(text.into()),
            None => {
                let (high, low) = (environment.random(), environment.random());
                Self(format!("{high:016x}{low:016x}").into())
            }
        }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn header_value(&self) -> HeaderValue {
        HeaderValue::from_str(&self.0)
            .expect("a request id has only letters, digits, '-', '_', '.'")
    }
}

fn is_sane(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=CHARS_MAX).contains(&text.len()) && text.chars().all(is_plain)
}

impl<S: Send + Sync> FromRequestParts<S> for RequestId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let found = parts.extensions.get::<Self>().cloned();
        found.ok_or_else(|| Problem::internal("the routes are not wrapped by the kit"))
    }
}

#[cfg(test)]
mod tests {
    use super::is_sane;

    #[test]
    fn only_plain_short_names_are_taken() {
        assert!(is_sane("0af7651916cd43dd-8448.eb_1"));
        for text in ["", "a b", "a\nb", "ä", "a;b", "\"", &"a".repeat(65)] {
            assert!(!is_sane(text), "{text}");
        }
    }
}
