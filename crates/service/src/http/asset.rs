//! Static files compiled into the program.
//!
//! Owns serving them with etags and a content security policy. Does not own their content or the policy (`ui-kit`).

use axum::Router;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use client::EntityTag;
use ring::digest;
use ui_kit::{Asset, PAGE_POLICY};

use super::etag::{EtagHeader, IfNoneMatch, not_modified};

/// Adds the route of a file.
pub(super) fn route_asset<S: Clone + Send + Sync + 'static>(
    asset: Asset,
    router: Router<S>,
) -> Router<S> {
    let digest = digest::digest(&digest::SHA256, asset.body);
    let etag = EntityTag::from_text(format!("\"{}\"", URL_SAFE_NO_PAD.encode(digest)));
    let handler = move |known: IfNoneMatch| {
        let etag = etag.clone();
        async move { respond(asset, &known, &etag) }
    };
    router.route(asset.path, get(handler))
}

fn respond(asset: Asset, known: &IfNoneMatch, etag: &EntityTag) -> Response {
    let mut response = if known.has(etag) {
        not_modified(etag)
    } else {
        let kind = HeaderValue::from_static(asset.content_type);
        (EtagHeader::new(Some(etag)), [(CONTENT_TYPE, kind)], asset.body).into_response()
    };
    let headers = response.headers_mut();
    // `no-cache` stores the file but revalidates it by its etag, so a new program serves new pages at once.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
    response
}
