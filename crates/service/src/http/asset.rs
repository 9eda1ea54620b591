//! Static files compiled into the program.
//!
//! Owns serving them with etags and a content security policy. Does not own their content.

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

/// Allows scripts, styles and requests of this service only, and no framing by other pages.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; font-src 'self'; manifest-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// One static file.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    path: &'static str,
    content_type: &'static str,
    body: &'static [u8],
}

impl Asset {
    /// Creates a file served at `path`: `Asset::new("/", "text/html; charset=utf-8",
    /// include_bytes!("page/index.html"))`.
    #[must_use]
    pub const fn new(path: &'static str, content_type: &'static str, body: &'static [u8]) -> Self {
        Self { path, content_type, body }
    }

    pub(super) fn route<S: Clone + Send + Sync + 'static>(self, router: Router<S>) -> Router<S> {
        // Once when the routes are built, since the content is compiled in.
        let digest = digest::digest(&digest::SHA256, self.body);
        let etag = EntityTag::from_text(format!("\"{}\"", URL_SAFE_NO_PAD.encode(digest)));
        let handler = move |known: IfNoneMatch| {
            let etag = etag.clone();
            async move { self.respond(&known, &etag) }
        };
        router.route(self.path, get(handler))
    }

    fn respond(self, known: &IfNoneMatch, etag: &EntityTag) -> Response {
        let mut response = if known.has(etag) {
            not_modified(etag)
        } else {
            let kind = HeaderValue::from_static(self.content_type);
            (EtagHeader::new(Some(etag)), [(CONTENT_TYPE, kind)], self.body).into_response()
        };
        let headers = response.headers_mut();
        // `no-cache` stores the file but revalidates it by its etag, so a new program serves new pages at once.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
        response
    }
}
