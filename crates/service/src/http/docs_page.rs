//! The page that shows the OpenAPI document: Swagger UI as a crate ships it, at `/docs/`.
//!
//! Owns its route and its policy. Does not own the document (`operations`).

use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use utoipa_swagger_ui::{Config, serve};

use super::operations::{DOCS_PATHS, OPENAPI_PATH};
use crate::problem::Problem;

/// Swagger UI sets styles inline; scripts are still only those of this service.
const DOCS_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Adds the page.
pub(super) fn route_docs(router: Router) -> Router {
    let config = Arc::new(Config::from(OPENAPI_PATH));
    let [bare, index, file] = DOCS_PATHS;
    let of_index = Arc::clone(&config);
    router
        .route(bare, get(move || async move { Redirect::permanent(index) }))
        .route(index, get(move || async move { respond("", of_index) }))
        .route(file, get(move |Path(file): Path<String>| async move { respond(&file, config) }))
}

fn respond(file: &str, config: Arc<Config<'static>>) -> Response {
    let found = match serve(file, config) {
        Ok(Some(found)) => found,
        Ok(None) => return Problem::not_found("There is no such file.").into_response(),
        Err(error) => return Problem::not_found(error.to_string()).into_response(),
    };
    let kind = HeaderValue::try_from(found.content_type);
    let kind = kind.unwrap_or_else(|_| HeaderValue::from_static("application/octet-stream"));
    let mut response = found.bytes.into_owned().into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, kind);
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(DOCS_POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
