//! Request ids: the caller's own, or a random one; in every response, log line and problem.
//!
//! Owns which ids of callers are accepted and how new ones are made. `tower-http` puts them into the request and copies
//! them to the response; see `server.rs`.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Request};
use client::Environment;
use tower_http::request_id::{MakeRequestId, RequestId};

/// The header that carries a request id, in requests and responses.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const CHARS_MAX: usize = 64;

/// Makes ids for requests that come without one.
#[derive(Clone, Debug)]
pub(super) struct RandomRequestId {
    environment: Environment,
}

impl RandomRequestId {
    pub(super) fn new(environment: Environment) -> Self {
        Self { environment }
    }
}

impl MakeRequestId for RandomRequestId {
    fn make_request_id<B>(&mut self, _: &Request<B>) -> Option<RequestId> {
        // From the environment and not from the operating system, so that a simulated run repeats its ids.
        let (high, low) = (self.environment.random(), self.environment.random());
        HeaderValue::try_from(format!("{high:016x}{low:016x}")).ok().map(RequestId::new)
    }
}

/// Drops an id that could break or flood a log line, so that the request gets a new one.
pub(super) fn drop_unsafe_request_id(mut request: Request<Body>) -> Request<Body> {
    let id = request.headers().get(X_REQUEST_ID);
    if id.is_some_and(|id| !id.to_str().is_ok_and(is_safe)) {
        request.headers_mut().remove(X_REQUEST_ID);
    }
    request
}

fn is_safe(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=CHARS_MAX).contains(&text.len()) && text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::is_safe;

    #[test]
    fn only_short_plain_ids_are_accepted() {
        assert!(is_safe("0af7651916cd43dd-8448.eb_1"));
        for text in ["", "a b", "a\nb", "ä", "a;b", "\"", &"a".repeat(65)] {
            assert!(!is_safe(text), "{text}");
        }
    }
}
