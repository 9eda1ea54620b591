//! The comparison of the OpenAPI document with the routes.
//!
//! Finds routes that are not documented, and documented ones that do not exist. The document itself is generated from
//! the declarations at the routes.

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use serde_json::Value;
use tower::ServiceExt;

use super::api_description::KIT_TITLE;
use super::operations::{
    DOCS_PATHS, KIT_PREFIX, METHOD_NOT_ALLOWED, NO_SUCH_ROUTE, OPENAPI_PATH, PATHS,
};
use crate::problem::ProblemExtension;

/// The methods that are tried on each documented path.
const METHODS: [Method; 5] =
    [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];

/// Returns the differences between the document and the routes of a complete router, for a test of each system, and
/// whether the service has not described itself.
/// `undocumented` lists the paths that are left out on purpose, such as pages; the paths every service has need not be
/// listed.
///
/// Every documented method is called without a body and without credentials, and must have no effect then.
pub async fn openapi_mismatches(router: &Router, undocumented: &[&str]) -> Vec<String> {
    let document = match document(router).await {
        Ok(document) => document,
        Err(why) => return vec![why],
    };
    let empty = serde_json::Map::new();
    let documented = document.get("paths").and_then(Value::as_object).unwrap_or(&empty);
    let mut mismatches = Vec::new();
    if document.pointer("/info/title").and_then(Value::as_str) == Some(KIT_TITLE) {
        mismatches.push(format!("the title is {KIT_TITLE:?}: call HttpServer::describe"));
    }
    let is_known = |path: &str| documented.contains_key(path) || undocumented.contains(&path);
    let routed = routed_paths(router);
    let is_of_every_service = |path: &str| {
        PATHS.contains(&path) || DOCS_PATHS.contains(&path) || path.starts_with(KIT_PREFIX)
    };
    for path in routed.iter().filter(|path| !is_known(path) && !is_of_every_service(path)) {
        mismatches.push(format!("{path} is routed and not documented"));
    }
    for path in undocumented.iter().filter(|path| !routed.iter().any(|routed| routed == *path)) {
        mismatches.push(format!("{path} is said to be undocumented and is not routed"));
    }
    for (path, item) in documented {
        for method in METHODS {
            let is_documented = item.get(method.as_str().to_ascii_lowercase()).is_some();
            let is_routed = probe_route(router, &method, path).await;
            if is_documented != is_routed {
                let (is, is_not) =
                    if is_routed { ("routed", "documented") } else { ("documented", "routed") };
                mismatches.push(format!("{method} {path} is {is} and not {is_not}"));
            }
        }
    }
    mismatches
}

async fn document(router: &Router) -> Result<Value, String> {
    let request =
        Request::get(OPENAPI_PATH).body(Body::empty()).map_err(|error| error.to_string())?;
    let Ok(response) = router.clone().oneshot(request).await;
    if response.status() != StatusCode::OK {
        return Err(format!("{OPENAPI_PATH} answers {}", response.status()));
    }
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await;
    let body = body.map_err(|error| format!("{OPENAPI_PATH} cannot be read: {error}"))?;
    serde_json::from_slice(&body).map_err(|error| format!("{OPENAPI_PATH} is no JSON: {error}"))
}

/// Whether a route handles this method on this path: neither of the two fallbacks responds.
async fn probe_route(router: &Router, method: &Method, path: &str) -> bool {
    let concrete: Vec<&str> =
        path.split('/').map(|part| if part.starts_with('{') { "0" } else { part }).collect();
    let request = Request::builder().method(method).uri(concrete.join("/")).body(Body::empty());
    let Ok(request) = request else { return false };
    let Ok(response) = router.clone().oneshot(request).await;
    let code = response.extensions().get::<ProblemExtension>().map(|answered| answered.0.code());
    !matches!(code, Some(NO_SUCH_ROUTE | METHOD_NOT_ALLOWED))
}

/// The paths of a router. `axum` exposes them only in the `Debug` text; a test of this crate fails if that changes.
fn routed_paths(router: &Router) -> Vec<String> {
    let printed = format!("{router:?}");
    let routes =
        printed.split_once("fallback_router").map_or(printed.as_str(), |(routes, _)| routes);
    let marks = routes.split("RouteId(").skip(1);
    let quoted = marks
        .filter_map(|rest| rest.split_once("): \""))
        .filter(|(id, _)| id.chars().all(|c| c.is_ascii_digit()));
    let mut paths: Vec<String> =
        quoted.filter_map(|(_, rest)| Some(rest.split_once('"')?.0.to_owned())).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}
