//! What a request does, by its method, path and headers: a word for logs, sums and rules.

use hyper::header::HeaderName;
use hyper::{HeaderMap, Method};

use super::header;

/// The name of the operation.
pub(crate) fn operation_name(method: &Method, path: &str, headers: &HeaderMap) -> &'static str {
    let has = |name: &HeaderName| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.is_some_and(|value| value.eq_ignore_ascii_case("true"))
    };
    let is_item = path.contains("/docs");
    match *method {
        Method::GET if headers.contains_key(header::A_IM) => "change feed",
        Method::GET if is_item => "read",
        Method::POST if has(&header::IS_QUERY) || has(&header::IS_QUERY_OTHER) => "query",
        Method::POST if has(&header::IS_QUERY_PLAN) => "plan",
        Method::POST if has(&header::IS_BATCH) => "batch",
        Method::POST if has(&header::IS_UPSERT) => "upsert",
        Method::POST if is_item => "create",
        Method::PUT if is_item => "replace",
        Method::PATCH => "patch",
        Method::DELETE if is_item => "delete",
        _ => "metadata",
    }
}
