//! Etags of the store in HTTP: `ETag`, `If-Match`, `If-None-Match`.
//!
//! Owns reading and writing these headers. The text of an etag is opaque and carries its quotes.

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::header::{ETAG, IF_MATCH, IF_NONE_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, IntoResponseParts, Response, ResponseParts};
use client::EntityTag;

use super::problem::{Outcome, Problem};

/// What must hold for a write. As an argument it is required: without the header the answer is 428. `Option<IfMatch>`
/// is for writes that allow both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IfMatch {
    /// The thing must exist, in whatever state: `*`.
    Any,
    /// The thing must be in this state.
    Etag(EntityTag),
}

impl IfMatch {
    /// What the calls of `client` take as their condition.
    #[must_use]
    pub fn etag(&self) -> Option<&EntityTag> {
        match self {
            Self::Any => None,
            Self::Etag(etag) => Some(etag),
        }
    }

    fn of(parts: &Parts) -> Outcome<Option<Self>> {
        let Some(text) = header_text(parts, &IF_MATCH)? else { return Ok(None) };
        match entries(&text).as_deref() {
            Some(["*"]) => Ok(Some(Self::Any)),
            // Weak etags never match here (RFC 9110, 13.1.1).
            Some([weak]) if weak.starts_with("W/") => Err(Problem::new(
                StatusCode::PRECONDITION_FAILED,
                "precondition_failed",
                "A weak etag never matches. Send the one of the answer as it is.",
            )),
            Some([etag]) => Ok(Some(Self::Etag(EntityTag::from_text(*etag)))),
            _ => Err(invalid("If-Match", "one etag in double quotes, as an answer gave it, or *")),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Self::of(parts)?.ok_or_else(|| {
            let detail =
                "Say which state is to be changed: if-match with the etag of the last answer.";
            Problem::new(StatusCode::PRECONDITION_REQUIRED, "precondition_required", detail)
        })
    }
}

impl<S: Send + Sync> OptionalFromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Option<Self>, Problem> {
        Self::of(parts)
    }
}

/// The states a caller has already.
#[derive(Clone, Debug, Default)]
pub struct IfNoneMatch(Vec<String>);

impl IfNoneMatch {
    /// Whether the caller has this state, so that [`not_modified`] is the answer.
    #[must_use]
    pub fn has(&self, etag: &EntityTag) -> bool {
        let text = etag.to_string();
        let opaque = |text: &str| text.strip_prefix("W/").unwrap_or(text).to_owned();
        self.0.iter().any(|known| known == "*" || opaque(known) == opaque(&text))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IfNoneMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Some(text) = header_text(parts, &IF_NONE_MATCH)? else { return Ok(Self::default()) };
        let known = entries(&text);
        let known =
            known.ok_or_else(|| invalid("If-None-Match", "etags in double quotes, or *"))?;
        Ok(Self(known.into_iter().map(str::to_owned).collect()))
    }
}

/// The header `ETag` of an answer: `(EtagHeader::of(&answer), Json(value))`.
#[derive(Clone, Debug)]
pub struct EtagHeader(Option<HeaderValue>);

impl EtagHeader {
    /// The header for an etag; nothing for an answer without one.
    #[must_use]
    pub fn new(etag: Option<&EntityTag>) -> Self {
        Self(etag.and_then(|etag| HeaderValue::from_str(&etag.to_string()).ok()))
    }

    /// The header for an answer of the store.
    #[must_use]
    pub fn of<T>(answer: &client::AccountResponse<T>) -> Self {
        Self::new(answer.etag.as_ref())
    }
}

impl IntoResponseParts for EtagHeader {
    type Error = std::convert::Infallible;

    fn into_response_parts(self, mut parts: ResponseParts) -> Result<ResponseParts, Self::Error> {
        if let Some(value) = self.0 {
            parts.headers_mut().insert(ETAG, value);
        }
        Ok(parts)
    }
}

/// 304 for a caller that has this state already.
#[must_use]
pub fn not_modified(etag: &EntityTag) -> Response {
    (StatusCode::NOT_MODIFIED, EtagHeader::new(Some(etag)), ()).into_response()
}

fn header_text(parts: &Parts, name: &HeaderName) -> Outcome<Option<String>> {
    let mut lines = Vec::new();
    for value in parts.headers.get_all(name) {
        lines.push(value.to_str().map_err(|_| invalid(name.as_str(), "visible ASCII"))?);
    }
    Ok((!lines.is_empty()).then(|| lines.join(",")))
}

/// The etags of a list; none when something else is in it.
fn entries(text: &str) -> Option<Vec<&str>> {
    let entries: Vec<&str> = text.split(',').map(str::trim).filter(|e| !e.is_empty()).collect();
    let is_etag = |entry: &&str| -> bool {
        let opaque = entry.strip_prefix("W/").unwrap_or(entry);
        let inside = opaque.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        inside.is_some_and(|inside| !inside.contains('"'))
    };
    let is_star = entries.as_slice() == ["*"];
    (!entries.is_empty() && (is_star || entries.iter().all(is_etag))).then_some(entries)
}

fn invalid(header: &str, allowed: &str) -> Problem {
    Problem::bad_request("invalid_header", format!("The header {header} must be {allowed}."))
}

#[cfg(test)]
mod tests {
    use super::entries;

    #[test]
    fn etags_are_quoted() {
        assert_eq!(entries("\"a\", W/\"b\""), Some(vec!["\"a\"", "W/\"b\""]));
        assert_eq!(entries("*"), Some(vec!["*"]));
        for wrong in ["", "a", "\"a", "\"a\", b", "*, \"a\"", "\"", "\"a\"b\""] {
            assert_eq!(entries(wrong), None, "{wrong}");
        }
    }
}
