//! The parameters of a request to a hub. Their names have no case, as in the official server.

use axum::http::Uri;

/// A parameter of the query. The values that this crate reads contain nothing that needs decoding.
pub(super) fn parameter<'a>(uri: &'a Uri, name: &str) -> Option<&'a str> {
    uri.query()?.split('&').find_map(|pair| {
        let (found, value) = pair.split_once('=').unwrap_or((pair, ""));
        found.eq_ignore_ascii_case(name).then_some(value)
    })
}

/// The secret token of a connection. An empty one counts as none.
pub(super) fn connection_token(uri: &Uri) -> Option<&str> {
    parameter(uri, "id").filter(|token| !token.is_empty())
}
