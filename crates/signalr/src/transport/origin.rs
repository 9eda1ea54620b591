//! Which pages may connect, and the headers that a browser needs for it.

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, HOST, ORIGIN, VARY,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::options::OriginPolicy;

/// Whether the page that sent the request may connect. Programs that are not browsers send no origin.
pub(super) fn is_allowed(policy: &OriginPolicy, request: &Parts) -> bool {
    let Some(origin) = request.headers.get(ORIGIN) else { return true };
    let Ok(origin) = origin.to_str() else { return false };
    match policy {
        OriginPolicy::Any => true,
        OriginPolicy::SameOrigin => is_same_host(origin, request),
        OriginPolicy::Listed(origins) => {
            is_same_host(origin, request)
                || origins.iter().any(|listed| listed.eq_ignore_ascii_case(origin))
        }
    }
}

fn is_same_host(origin: &str, request: &Parts) -> bool {
    let host = request.headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| request.uri.authority().map(|authority| authority.as_str()));
    let origin_host = origin.split_once("://").map(|(_, host)| host);
    origin_host.zip(host).is_some_and(|(origin, host)| origin.eq_ignore_ascii_case(host))
}

/// Lets a browser know that an allowed page of another host may read the answer.
pub(super) fn allow(headers: &mut HeaderMap, origin: Option<&HeaderValue>) {
    let Some(origin) = origin else { return };
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
    headers.append(VARY, HeaderValue::from_static("origin"));
}

/// The answer to a browser that asks before it sends a request from a page of another host.
pub(super) fn preflight() -> Response {
    let headers = [
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE"),
        (
            ACCESS_CONTROL_ALLOW_HEADERS,
            "authorization, content-type, x-requested-with, x-signalr-user-agent",
        ),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn check(policy: &OriginPolicy, origin: Option<&str>, expected: bool) {
        let mut request = Request::builder().header(HOST, "chat.example:8443");
        if let Some(origin) = origin {
            request = request.header(ORIGIN, origin);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        assert_eq!(is_allowed(policy, &parts), expected, "{policy:?} {origin:?}");
    }

    #[test]
    fn pages_of_other_hosts_connect_only_if_they_are_listed() {
        let listed = OriginPolicy::Listed(vec!["https://app.example".to_owned()]);
        for policy in [&OriginPolicy::SameOrigin, &listed, &OriginPolicy::Any] {
            check(policy, None, true);
            check(policy, Some("https://chat.example:8443"), true);
        }
        check(&OriginPolicy::SameOrigin, Some("https://app.example"), false);
        check(&OriginPolicy::SameOrigin, Some("https://chat.example"), false);
        check(&OriginPolicy::SameOrigin, Some("null"), false);
        check(&listed, Some("https://app.example"), true);
        check(&listed, Some("https://evil.example"), false);
        check(&OriginPolicy::Any, Some("https://evil.example"), true);
    }
}
