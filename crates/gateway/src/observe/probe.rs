//! The health probes of Microsoft's emulators, on a port of their own.
//!
//! Owns the document that container tools wait for: `checks.gateway` and `checks.postgres` must be `healthy`. The store
//! stands where the emulator has PostgreSQL. Does not own the probes of the API port; see `health`.

use hyper::{Method, StatusCode};
use model::{Json, Object};

use crate::gateway::Gateway;
use crate::http::{ApiError, ApiResponse, ApiResult, format_rfc3339};
use crate::route::RequestPath;

/// `/alive`, `/ready` and `/status`: the same document. Only `/ready` fails while the store refuses writes.
pub(crate) fn probe(
    gateway: &Gateway,
    method: &Method,
    path: &RequestPath<'_>,
) -> ApiResult<ApiResponse> {
    if *method != Method::GET && *method != Method::HEAD {
        return Err(ApiError::method_not_allowed());
    }
    let failure = gateway.engine().write_failure();
    let status = match path.raw {
        "ready" if failure.is_some() => StatusCode::SERVICE_UNAVAILABLE,
        "alive" | "ready" | "status" => StatusCode::OK,
        _ => return Err(ApiError::not_found("The health port has /alive, /ready and /status.")),
    };
    let document = document(gateway, failure.as_deref());
    Ok(ApiResponse::json(status, Json::Object(document).to_bytes()))
}

fn document(gateway: &Gateway, failure: Option<&str>) -> Object {
    let is_ready = failure.is_none();
    let mut checks = Object::new();
    let explorer = if gateway.settings().explorer.is_some() { "healthy" } else { "disabled" };
    checks.insert("explorer", explorer);
    checks.insert("gateway", "healthy");
    checks.insert("postgres", if is_ready { "healthy" } else { "unhealthy" });
    let mut object = Object::new();
    object.insert("alive", true);
    object.insert("checks", checks);
    object.insert("overall", is_ready);
    object.insert("protocol", if gateway.certificate().is_some() { "https" } else { "http" });
    object.insert("ready", is_ready);
    object.insert("status", if is_ready { "healthy" } else { "unhealthy" });
    if let Some(reason) = failure {
        object.insert("reason", reason);
    }
    object.insert("timestamp", format_rfc3339(gateway.engine().environment().now().0));
    object.insert("version", env!("CARGO_PKG_VERSION"));
    object
}
