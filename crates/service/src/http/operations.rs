//! The routes every service has, and its responses where no route matches.
//!
//! Owns `/healthz`, `/readyz`, `/metrics` and `/openapi.json`, and serves the UI kit under `/_kit`. They need no caller
//! and count against no rate limit.

use axum::Router;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::http::{Method, StatusCode, Uri};
use axum::routing::get;

use super::asset::route_asset;
use super::observe::{Health, ServiceMetrics};
use super::shutdown::ShutdownSignal;
use crate::problem::Problem;

/// The path of the OpenAPI document.
pub(super) const OPENAPI_PATH: &str = "/openapi.json";
/// The paths every service has. Its OpenAPI document leaves them out.
pub(super) const PATHS: [&str; 4] = ["/healthz", "/readyz", "/metrics", OPENAPI_PATH];
/// The paths of the page that shows the document, in builds that have it.
pub(super) const DOCS_PATHS: [&str; 3] = ["/docs", "/docs/", "/docs/{*file}"];
/// The prefix of the paths of the UI kit, which every service has too.
pub(super) const KIT_PREFIX: &str = "/_kit";
/// The problem code where no route matches the path.
pub(super) const NO_SUCH_ROUTE: &str = "no_such_route";
/// The problem code where a route matches the path but not the method.
pub(super) const METHOD_NOT_ALLOWED: &str = "method_not_allowed";

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The routes every service has.
pub(super) fn routes(
    document: String,
    health: Health,
    metrics: ServiceMetrics,
    shutdown: ShutdownSignal,
) -> Router {
    let json = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    let openmetrics = [(CONTENT_TYPE, HeaderValue::from_static(OPENMETRICS))];
    let [healthz, readyz, metrics_path, openapi] = PATHS;
    let kit = ui_kit::KIT.iter().chain(ui_kit::GALLERY);
    let kit = kit.fold(Router::new(), |routes, asset| route_asset(*asset, routes));
    #[cfg(feature = "docs-page")]
    let kit = super::docs_page::route_docs(kit);
    kit.route(healthz, get(async || Health::alive()))
        .route(readyz, get(move || async move { health.ready(&shutdown).await }))
        .route(metrics_path, get(move || async move { (openmetrics, metrics.render()) }))
        .route(openapi, get(move || async move { (json, document) }))
}

pub(super) async fn no_such_route(uri: Uri) -> Problem {
    let detail = format!("There is nothing at {}.", uri.path());
    Problem::new(StatusCode::NOT_FOUND, NO_SUCH_ROUTE, detail)
}

pub(super) async fn method_not_allowed(method: Method, uri: Uri) -> Problem {
    let detail = format!("{} does not take {method}.", uri.path());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, METHOD_NOT_ALLOWED, detail)
}
