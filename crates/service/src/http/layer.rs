//! What happens around every route: naming, watching, identifying, limiting.
//!
//! Owns these steps. Does not own their order; see `kit.rs`.

use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue,
    REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{Extensions, HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::Instrument;

use super::kit::Kit;
use super::problem::{Answered, Problem};
use super::request_id::{RequestId, X_REQUEST_ID};
use crate::identity::Identified;

/// On every answer, unless the route chose otherwise.
const HEADERS: [(HeaderName, &str); 5] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (CACHE_CONTROL, "no-store"),
];

/// Names the request, catches a panic, and tells log, metrics and caller how it went.
pub(crate) async fn observe(State(kit): State<Kit>, mut request: Request, next: Next) -> Response {
    let started = kit.environment().stopwatch();
    let id = RequestId::of(request.headers(), kit.environment());
    let method = method_label(request.method());
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str);
    let route = route.to_owned();
    let span = tracing::info_span!("request", request_id = id.as_str(), method, route);
    request.extensions_mut().insert(id.clone());
    let mut response = caught(next.run(request)).instrument(span.clone()).await;
    let took = kit.environment().stopwatch().saturating_sub(started);
    span.in_scope(|| log(&response, took));
    name_problem(&mut response, &id);
    finish_headers(response.headers_mut(), &id);
    let status = response.status();
    let labels = [("method", method), ("route", route.as_str()), ("status", status.as_str())];
    let metrics = kit.metrics();
    metrics.count("http_requests_total", "Requests answered.", &labels, 1);
    let labels = [("route", route.as_str())];
    let help = "Time until the head of the answer.";
    metrics.observe("http_request_seconds", help, &labels, took.as_secs_f64());
    response
}

/// Finds out who the caller is; routes decide whether they care.
pub(crate) async fn identify(State(kit): State<Kit>, mut request: Request, next: Next) -> Response {
    let identified = kit.identity().identify(request.method(), request.headers()).await;
    let renewed = kit.identity().renewed(&identified);
    request.extensions_mut().insert(identified);
    request.extensions_mut().insert(kit.streams().clone());
    let mut response = next.run(request).await;
    if !response.headers().contains_key(SET_COOKIE) {
        response.headers_mut().extend(renewed.into_iter().map(|cookie| (SET_COOKIE, cookie)));
    }
    response
}

/// Takes a request out of the caller's bucket.
pub(crate) async fn limit(State(kit): State<Kit>, request: Request, next: Next) -> Response {
    let Some(limit) = kit.limit() else { return next.run(request).await };
    match limit.take(&caller(request.extensions())) {
        Err(problem) => problem.into_response(),
        Ok(standing) => {
            let mut response = next.run(request).await;
            standing.write(response.headers_mut());
            response
        }
    }
}

/// Whom limits count for: the principal, or the address.
pub(crate) fn caller(extensions: &Extensions) -> String {
    if let Some(Identified::Somebody(principal)) = extensions.get::<Identified>() {
        return format!("principal {}", principal.subject());
    }
    match extensions.get::<ConnectInfo<SocketAddr>>() {
        Some(ConnectInfo(address)) => format!("address {}", address.ip()),
        None => "nobody".to_owned(),
    }
}

fn log(response: &Response, took: std::time::Duration) {
    let status = response.status().as_u16();
    let took_ms = took.as_millis();
    match response.extensions().get::<Answered>() {
        Some(Answered(problem)) if problem.status().is_server_error() => {
            let cause = problem.cause().unwrap_or("not known");
            tracing::error!(status, took_ms, code = problem.code(), cause, "failed");
        }
        Some(Answered(problem)) => {
            let cause = problem.cause().unwrap_or_default();
            tracing::info!(status, took_ms, code = problem.code(), cause, "refused");
        }
        None => tracing::debug!(status, took_ms, "answered"),
    }
}

/// Writes the request id into the body of a problem.
fn name_problem(response: &mut Response, id: &RequestId) {
    if let Some(Answered(problem)) = response.extensions().get::<Answered>().cloned() {
        response.headers_mut().remove(CONTENT_LENGTH);
        *response.body_mut() = problem.body(Some(id.as_str()));
    }
}

fn finish_headers(headers: &mut HeaderMap, id: &RequestId) {
    headers.insert(X_REQUEST_ID, id.header_value());
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

/// Methods as labels: a closed list, whatever a caller makes up.
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

/// The answer of a route, also when it panics.
async fn caught(answer: impl Future<Output = Response>) -> Response {
    let mut answer = std::pin::pin!(answer);
    std::future::poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context)));
        polled.unwrap_or_else(|panic| {
            let cause = format!("panic: {}", panic_text(&*panic));
            Poll::Ready(Problem::internal(cause).into_response())
        })
    })
    .await
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no text")
}
