//! Health, metrics and the certificate.
//!
//! Owns their paths. None of them needs a signature.

use hyper::{Method, StatusCode};
use model::{Json, Object};

use crate::gateway::Gateway;
use crate::http::{ApiError, ApiResponse};
use crate::metrics::{AccountMetrics, RequestMetrics};
use crate::route::RequestPath;

/// Handles the request if its path is one of these.
pub(crate) fn health(
    gateway: &Gateway,
    method: &Method,
    path: &RequestPath<'_>,
) -> Option<ApiResponse> {
    if method != Method::GET && method != Method::HEAD {
        return None;
    }
    match (path.segment(0)?, path.segment(1)) {
        ("alive", None) => Some(state("alive")),
        ("ready", None) => Some(ready(gateway)),
        ("status", None) => Some(status(gateway)),
        ("metrics", None) => {
            let engine = gateway.engine();
            let account = AccountMetrics::read(engine, gateway.settings().shows_containers());
            let text = gateway.metrics().text(engine.environment().now().0, account);
            Some(ApiResponse::text(StatusCode::OK, RequestMetrics::CONTENT_TYPE, text))
        }
        ("_explorer", Some("emulator.pem")) if path.segment(2).is_none() => {
            Some(certificate(gateway))
        }
        _ => None,
    }
}

fn certificate(gateway: &Gateway) -> ApiResponse {
    match gateway.certificate() {
        Some(pem) => ApiResponse::text(StatusCode::OK, "application/x-pem-file", pem.to_owned()),
        None => ApiError::not_found(
            "This server has no certificate because it does not use TLS. Start it with --tls.",
        )
        .into_response("none"),
    }
}

fn state(state: &str) -> ApiResponse {
    let mut object = Object::new();
    object.insert("status", state);
    ApiResponse::ok(Json::Object(object).to_bytes())
}

/// Not ready while the store refuses writes: a balancer sends them elsewhere, and the reason is what to repair. Reads
/// are still served.
fn ready(gateway: &Gateway) -> ApiResponse {
    let Some(reason) = gateway.engine().write_failure() else { return state("ready") };
    let mut object = Object::new();
    object.insert("status", "read-only");
    object.insert("reason", reason);
    let text = Json::Object(object).to_string();
    ApiResponse::text(StatusCode::SERVICE_UNAVAILABLE, "application/json", text)
}

fn status(gateway: &Gateway) -> ApiResponse {
    let metrics = gateway.metrics();
    let now_ms = gateway.engine().environment().now().0;
    let integer = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut object = Object::new();
    let status = if gateway.engine().write_failure().is_none() { "ready" } else { "read-only" };
    object.insert("status", status);
    object.insert("account", gateway.engine().settings().account_id.as_str());
    object.insert("version", env!("CARGO_PKG_VERSION"));
    object.insert("uptimeSeconds", integer(metrics.uptime_seconds(now_ms)));
    object.insert("requests", integer(metrics.requests()));
    ApiResponse::ok(Json::Object(object).to_bytes())
}
