//! Middleware around every route: observation, authentication, rate limit.
//!
//! Each function is one layer and receives only the state it needs. Does not own their order; see `server.rs`.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue,
    REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use client::Environment;
use futures::FutureExt as _;
use model::TraceContext;
use tower_http::request_id::RequestId;
use tracing::Instrument;

use super::caller_key::caller_key;
use super::events::StreamLimit;
use super::observe::ServiceMetrics;
use super::rate_limit::RateLimit;
use crate::identity::{CertifiedPeer, Identity};
use crate::problem::{Problem, ProblemExtension};

/// Headers of every response, unless the route set them itself.
const DEFAULT_HEADERS: [(HeaderName, &str); 5] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (CACHE_CONTROL, "no-store"),
];

/// Runs the request in a span, turns a panic into a response, and records log line, metrics and default headers.
pub(super) async fn observe(
    State((environment, metrics)): State<(Environment, ServiceMetrics)>,
    request: Request,
    next: Next,
) -> Response {
    let started = environment.stopwatch();
    let id = request.extensions().get::<RequestId>().cloned();
    let id = id.as_ref().and_then(|id| id.header_value().to_str().ok()).unwrap_or_default();
    let method = method_label(request.method());
    // The pattern of the route, not the path: paths contain ids, and every label value is a time series.
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str);
    let route: Arc<str> = route.into();
    // Telemetry continues the caller's trace from this field; see `telemetry/layer.rs`.
    let trace = trace_context(request.headers()).map(tracing::field::display);
    let span = tracing::info_span!(
        "request",
        request_id = id,
        method,
        route = &*route,
        traceparent = trace
    );
    let mut response = catch_panic(next.run(request)).instrument(span.clone()).await;
    let elapsed = environment.stopwatch().saturating_sub(started);
    span.in_scope(|| log(&response, elapsed));
    insert_request_id(&mut response, id);
    insert_default_headers(response.headers_mut());
    metrics.record_request(method, route, response.status().as_u16(), elapsed);
    response
}

/// Authenticates the caller. Does not refuse anybody: each route decides whether it needs a caller.
pub(super) async fn authenticate(
    State((identity, streams)): State<(Identity, StreamLimit)>,
    mut request: Request,
    next: Next,
) -> Response {
    let authentication = identity.identify(request.method(), request.headers()).await;
    let authentication =
        CertifiedPeer::or_else(request.extensions().get::<CertifiedPeer>(), authentication);
    let renewed = identity.renewed_cookies(&authentication);
    request.extensions_mut().insert(identity.caller_end(&authentication));
    request.extensions_mut().insert(authentication);
    request.extensions_mut().insert(streams);
    let mut response = next.run(request).await;
    // A route that begins or ends a session sets the cookies itself; renewing would undo a sign-out.
    if !response.headers().contains_key(SET_COOKIE) {
        response.headers_mut().extend(renewed.into_iter().map(|cookie| (SET_COOKIE, cookie)));
    }
    response
}

/// Takes a request out of the caller's bucket.
pub(super) async fn limit(
    State(limit): State<RateLimit>,
    request: Request,
    next: Next,
) -> Response {
    match limit.take(&caller_key(request.extensions())) {
        // The headers of the limit are already part of the problem.
        Err(problem) => problem.into_response(),
        Ok(status) => {
            let mut response = next.run(request).await;
            status.write(response.headers_mut());
            response
        }
    }
}

fn trace_context(headers: &HeaderMap) -> Option<TraceContext> {
    headers.get(TraceContext::HEADER)?.to_str().ok().and_then(TraceContext::parse)
}

fn log(response: &Response, elapsed: Duration) {
    let status = response.status().as_u16();
    let took_ms = elapsed.as_millis();
    match response.extensions().get::<ProblemExtension>() {
        Some(ProblemExtension(problem)) if problem.status().is_server_error() => {
            let cause = problem.cause().unwrap_or("not known");
            tracing::error!(status, took_ms, code = problem.code(), cause, "failed");
        }
        Some(ProblemExtension(problem)) => {
            let cause = problem.cause().unwrap_or_default();
            tracing::info!(status, took_ms, code = problem.code(), cause, "refused");
        }
        None => tracing::debug!(status, took_ms, "answered"),
    }
}

/// Writes the request id into the body of a problem. Only this layer knows it, so the body is written a second time.
fn insert_request_id(response: &mut Response, id: &str) {
    if let Some(ProblemExtension(problem)) =
        response.extensions().get::<ProblemExtension>().cloned()
    {
        // It is the length of the body without the id.
        response.headers_mut().remove(CONTENT_LENGTH);
        *response.body_mut() = problem.body(Some(id));
    }
}

fn insert_default_headers(headers: &mut HeaderMap) {
    for (name, value) in DEFAULT_HEADERS {
        // `or_insert`: a page needs another policy than an API response and sets its own.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

/// The method as a label value: a closed list, because a caller may invent methods.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "OTHER",
    }
}

/// The response of a route; a panic in it becomes 500.
async fn catch_panic(response: impl Future<Output = Response>) -> Response {
    // Unwind safe: what the panicking future had borrowed is dropped with it, and shared state recovers from poison.
    AssertUnwindSafe(response).catch_unwind().await.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Problem::internal(format!("panic: {}", text.unwrap_or("no text"))).into_response()
    })
}
