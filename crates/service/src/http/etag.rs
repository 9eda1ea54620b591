//! Etags of items in HTTP: the headers `ETag`, `If-Match` and `If-None-Match`.
//!
//! Owns parsing and printing these headers. The text of an etag is opaque and includes its quotes.

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::header::{ETAG, IF_MATCH, IF_NONE_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, IntoResponseParts, Response, ResponseParts};
use client::EntityTag;

use crate::problem::{HttpResult, Problem};

/// The precondition of a write. As an argument it is required: a request without the header gets 428. Use
/// `Option<IfMatch>` for writes that also work without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IfMatch {
    /// The item must exist, with any etag: `*`.
    Any,
    /// The item must have this etag.
    Etag(EntityTag),
}

impl IfMatch {
    /// The etag to pass to the calls of `client`.
    #[must_use]
    pub fn etag(&self) -> Option<&EntityTag> {
        match self {
            Self::Any => None,
            Self::Etag(etag) => Some(etag),
        }
    }

    fn parse(parts: &Parts) -> HttpResult<Option<Self>> {
        let Some(text) = header_text(parts, &IF_MATCH)? else { return Ok(None) };
        match parse_etags(&text).as_deref() {
            Some(["*"]) => Ok(Some(Self::Any)),
            // Weak etags never match here (RFC 9110, 13.1.1).
            Some([weak]) if weak.starts_with("W/") => Err(Problem::new(
                StatusCode::PRECONDITION_FAILED,
                "precondition_failed",
                "A weak etag never matches. Send the etag exactly as a response contained it.",
            )),
            Some([etag]) => Ok(Some(Self::Etag(EntityTag::from_text(*etag)))),
            _ => Err(invalid(
                "If-Match",
                "one etag in double quotes, as a response contained it, or *",
            )),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Self::parse(parts)?.ok_or_else(|| {
            let detail = "Send the etag of the last response in the header if-match.";
            Problem::new(StatusCode::PRECONDITION_REQUIRED, "precondition_required", detail)
        })
    }
}

impl<S: Send + Sync> OptionalFromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Option<Self>, Problem> {
        Self::parse(parts)
    }
}

/// The etags of the copies that a caller has.
#[derive(Clone, Debug, Default)]
pub struct IfNoneMatch(Vec<String>);

impl IfNoneMatch {
    /// Whether the caller has the item with this etag; the response is then [`not_modified`].
    #[must_use]
    pub fn has(&self, etag: &EntityTag) -> bool {
        let text = etag.to_string();
        // If-None-Match compares weakly (RFC 9110, 13.1.2), unlike If-Match.
        let opaque = |text: &str| text.strip_prefix("W/").unwrap_or(text).to_owned();
        self.0.iter().any(|known| known == "*" || opaque(known) == opaque(&text))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IfNoneMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Some(text) = header_text(parts, &IF_NONE_MATCH)? else { return Ok(Self::default()) };
        let known = parse_etags(&text);
        let known =
            known.ok_or_else(|| invalid("If-None-Match", "etags in double quotes, or *"))?;
        Ok(Self(known.into_iter().map(str::to_owned).collect()))
    }
}

/// The header `ETag` of a response: `(EtagHeader::of(&answer), JsonBody(value))`.
#[derive(Clone, Debug)]
pub struct EtagHeader(Option<HeaderValue>);

impl EtagHeader {
    /// The header for an etag; no header for `None`.
    #[must_use]
    pub fn new(etag: Option<&EntityTag>) -> Self {
        Self(etag.and_then(|etag| HeaderValue::from_str(&etag.to_string()).ok()))
    }

    /// The header for an answer of the database.
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

/// 304 for a caller that has the item with this etag already.
#[must_use]
pub fn not_modified(etag: &EntityTag) -> Response {
    (StatusCode::NOT_MODIFIED, EtagHeader::new(Some(etag)), ()).into_response()
}

fn header_text(parts: &Parts, name: &HeaderName) -> HttpResult<Option<String>> {
    let mut lines = Vec::new();
    for value in parts.headers.get_all(name) {
        lines.push(value.to_str().map_err(|_| invalid(name.as_str(), "visible ASCII"))?);
    }
    // Several lines of a list header mean the same as one line with commas.
    Ok((!lines.is_empty()).then(|| lines.join(",")))
}

/// Parses a list of etags; `None` if it contains anything else.
fn parse_etags(text: &str) -> Option<Vec<&str>> {
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
    use super::parse_etags;

    #[test]
    fn etags_are_quoted() {
        assert_eq!(parse_etags("\"a\", W/\"b\""), Some(vec!["\"a\"", "W/\"b\""]));
        assert_eq!(parse_etags("*"), Some(vec!["*"]));
        for wrong in ["", "a", "\"a", "\"a\", b", "*, \"a\"", "\"", "\"a\"b\""] {
            assert_eq!(parse_etags(wrong), None, "{wrong}");
        }
    }
}
