//! Pages inside the program: bytes with their type and etag.
//!
//! Owns serving them and the policy under which a browser shows them. Does not own what is on them.

use axum::Router;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use client::EntityTag;
use ring::digest;

use super::etag::{EtagHeader, IfNoneMatch, not_modified};

/// Scripts, styles and calls of this service only; nobody may frame the page.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; font-src 'self'; manifest-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// One file of a page set.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    path: &'static str,
    content_type: &'static str,
    body: &'static [u8],
}

impl Asset {
    /// A file served at `path`: `Asset::new("/", "text/html; charset=utf-8", include_bytes!("page/index.html"))`.
    #[must_use]
    pub const fn new(path: &'static str, content_type: &'static str, body: &'static [u8]) -> Self {
        Self { path, content_type, body }
    }

    pub(crate) fn route<S: Clone + Send + Sync + 'static>(self, router: Router<S>) -> Router<S> {
        let digest = digest::digest(&digest::SHA256, self.body);
        let etag = EntityTag::from_text(format!("\"{}\"", URL_SAFE_NO_PAD.encode(digest)));
        let answer = move |known: IfNoneMatch| {
            let etag = etag.clone();
            async move { self.respond(&known, &etag) }
        };
        router.route(self.path, get(answer))
    }

    fn respond(self, known: &IfNoneMatch, etag: &EntityTag) -> Response {
        let mut response = if known.has(etag) {
            not_modified(etag)
        } else {
            let kind = HeaderValue::from_static(self.content_type);
            (EtagHeader::new(Some(etag)), [(CONTENT_TYPE, kind)], self.body).into_response()
        };
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
        response
    }
}
