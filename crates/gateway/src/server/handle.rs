//! Handles one request: from the parsed head to the response.
//!
//! Owns the order: authorize, read the body, dispatch, add the headers that every response has. A panic on the way
//! becomes a 500 that names the activity id under which it is logged.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use bytes::{Buf, Bytes};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Body;
use hyper::header::{CACHE_CONTROL, CONTENT_LOCATION, HeaderName, HeaderValue, PRAGMA};
use hyper::{HeaderMap, Method, Response, StatusCode, Uri};
use model::TraceContext;
use tracing::{Instrument, Span};

use super::catch_panic::CatchPanic;
use super::check_head::{check_head, check_local_host};
use super::transport::{ListenerRole, Transport};
use crate::authorization::RequestAuthorization;
use crate::fault::InjectedFault;
use crate::gateway::Gateway;
use crate::http::{
    ApiError, ApiRequest, ApiResponse, ApiResult, HeaderValueWriter, NameFilter, RequestOrigin,
    header, header_value, operation_name,
};
use crate::observe;
use crate::request_log::RequestRecord;
use crate::route::RequestPath;

/// The constant headers of every response.
const CONSTANT_HEADERS: [(HeaderName, HeaderValue); 5] = [
    (header::NUMBER_OF_READ_REGIONS, HeaderValue::from_static("0")),
    (header::XP_ROLE, HeaderValue::from_static("1")),
    (header::GATEWAY_VERSION, HeaderValue::from_static("version=2.14.0")),
    (header::SERVICE_VERSION, HeaderValue::from_static("version=2.14.0.0")),
    (header::SCHEMA_VERSION, HeaderValue::from_static("1.21")),
];
/// The headers of every success: proxies must not cache it.
const NO_CACHE_HEADERS: [(HeaderName, HeaderValue); 2] = [
    (CACHE_CONTROL, HeaderValue::from_static("no-store, no-cache")),
    (PRAGMA, HeaderValue::from_static("no-cache")),
];

type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl Gateway {
    /// Handles one request without a socket: for tests, and for servers that have their own sockets.
    pub async fn respond(&self, request: hyper::Request<Full<Bytes>>) -> Response<Full<Bytes>> {
        let started = self.engine().environment().stopwatch();
        handle(self, request, Transport::IN_PROCESS, started).await.0
    }
}

/// Handles one request that began at a time of the stopwatch. Also returns when it ended.
pub(super) async fn handle<B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin>(
    gateway: &Gateway,
    incoming: hyper::Request<B>,
    transport: Transport,
    started: Duration,
) -> (Response<Full<Bytes>>, Duration) {
    // First of all, so that every failure from here on has a number for the log.
    let names = NameFilter::new(incoming.headers());
    let sent_id = names.may_contain(&header::ACTIVITY_ID);
    let sent_id = sent_id.then(|| incoming.headers().get(header::ACTIVITY_ID)).flatten();
    let activity_id = gateway.activity_id(sent_id);
    let origin = RequestOrigin::from_uri(incoming.uri(), transport.scheme(), names);
    let location = content_location(&incoming, &origin);
    let has_trace = names.may_contain(&header::TRACE_PARENT);
    let trace = has_trace.then(|| continue_trace(gateway, incoming.headers())).flatten();
    // The span wraps the pinned reference and not the future itself, which is large and would be moved.
    let mut record =
        gateway.request_log().begin(|| gateway.engine().environment().now().0, &incoming);
    let responding = respond(gateway, (incoming, names), origin, transport, record.as_deref_mut());
    let result = CatchPanic::new(pin!(responding))
        .instrument(trace.map_or_else(Span::none, |trace| request_span(&activity_id, trace)))
        .await;
    let response = match result {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => error.into_response(activity_id.to_str().unwrap_or_default()),
        Err(panic) => {
            let activity_id = activity_id.to_str().unwrap_or_default();
            let trace = trace.map(|trace| format!(" in trace {}", trace.trace_id()));
            let trace = trace.unwrap_or_default();
            let message = panic.0;
            let line = format!("activity {activity_id}{trace}: a request panicked: {message}");
            gateway.settings().log.write(&line);
            let message = "The request failed because of a bug of this server. Its log has more about this activity.";
            ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, message).into_response(activity_id)
        }
    };
    let ended = gateway.engine().environment().stopwatch();
    let took = ended.saturating_sub(started);
    let took_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    gateway.metrics().record(response.status().as_u16(), took_us, response.charged());
    if let Some(mut record) = record {
        record.set_response(&response, activity_id.to_str().unwrap_or_default(), took_us);
        record.log();
        gateway.request_log().keep(*record);
    }
    let is_success = response.status().is_success();
    let mut response = response
        .with_value(header::ACTIVITY_ID, activity_id)
        .with_header_from(header::REQUEST_DURATION, |writer| write_milliseconds(writer, took_us))
        .with_number(header::TRANSPORT_REQUEST_ID, gateway.next_request_number())
        .with_value(header::LAST_STATE_CHANGE, gateway.started())
        .with_all(CONSTANT_HEADERS);
    if let Some(location) = location {
        response = response.with_value(CONTENT_LOCATION, location);
    }
    if is_success {
        response = response.with_all(NO_CACHE_HEADERS);
    }
    (response.into_http(gateway.cached_headers()), ended)
}

/// Continues the trace of the caller with a new span. Returns `None` without a valid header, and also with two of them,
/// because then it is unknown which one is right.
fn continue_trace(gateway: &Gateway, headers: &HeaderMap) -> Option<TraceContext> {
    let mut values = headers.get_all(header::TRACE_PARENT).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let caller = TraceContext::parse(value.to_str().ok()?)?;
    caller.child(gateway.engine().environment().random())
}

/// The span of a request that belongs to a trace. Other requests have none, so that they cost nothing.
fn request_span(activity_id: &HeaderValue, trace: TraceContext) -> Span {
    tracing::info_span!(
        "request",
        activity_id = activity_id.to_str().unwrap_or_default(),
        trace_id = trace.trace_id(),
        span_id = trace.span_id(),
    )
}

/// The URL of the resource that a request names. A POST names only the feed above it.
fn content_location<B>(
    incoming: &hyper::Request<B>,
    origin: &RequestOrigin,
) -> Option<HeaderValue> {
    match *incoming.method() {
        Method::GET | Method::PUT | Method::PATCH | Method::DELETE => {
            let url = origin.url(incoming.headers(), incoming.uri().path());
            header_value(Bytes::from(url))
        }
        _ => None,
    }
}

/// Writes milliseconds with three decimals.
fn write_milliseconds(writer: &mut HeaderValueWriter, microseconds: u64) -> &mut HeaderValueWriter {
    let decimals = microseconds % 1000;
    let point: &[u8] = match decimals {
        0..10 => b".00",
        10..100 => b".0",
        _ => b".",
    };
    writer.number(microseconds / 1000).ascii(point).number(decimals)
}

/// The path of an item whose id has a question mark that a client has not escaped: what follows it is a part of the id,
/// because items have no query parameters.
fn item_path_with_query(uri: &Uri) -> Option<String> {
    let query = uri.query()?;
    let mut segments = uri.path().trim_matches('/').split('/');
    let is_item = ["dbs", "colls", "docs"]
        .into_iter()
        .all(|kind| segments.next() == Some(kind) && segments.next().is_some());
    (is_item && segments.next().is_none()).then(|| format!("{}?{query}", uri.path()))
}

async fn respond<B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin>(
    gateway: &Gateway,
    (incoming, names): (hyper::Request<B>, NameFilter),
    origin: RequestOrigin,
    transport: Transport,
    mut record: Option<&mut RequestRecord>,
) -> ApiResult<ApiResponse> {
    let (parts, body) = incoming.into_parts();
    check_head(gateway, &parts, transport)?;
    let joined = item_path_with_query(&parts.uri);
    let path = RequestPath::parse(joined.as_deref().unwrap_or(parts.uri.path()));
    match transport.role {
        ListenerRole::Api => {}
        ListenerRole::Health => return observe::probe(gateway, &parts.method, &path),
        ListenerRole::Explorer if path.raw.is_empty() && observe::is_page_visit(&parts) => {
            return Ok(observe::redirect_to_explorer());
        }
        ListenerRole::Explorer => {}
    }
    // Without authorization: probes have no key.
    if let Some(response) = observe::health(gateway, &parts.method, &path) {
        return Ok(response);
    }
    // After health: the probes of a container name its address, and learn nothing that needs protection.
    check_local_host(gateway, &parts, transport)?;
    if let Some(control) = observe::match_test_route(gateway, &parts.method, &path) {
        let body = read_body(gateway, body).await?;
        return observe::handle_test_route(gateway, control, &path, &body).await;
    }
    if let Some(page) = observe::find_page(gateway, &parts.method, &path) {
        return Ok(observe::page_response(page));
    }
    if let Some(explorer) = observe::match_session(gateway, &path) {
        let body = read_body(gateway, body).await?;
        let (method, headers) = (&parts.method, &parts.headers);
        let origin = origin.url(headers, "");
        return observe::handle_session(gateway, explorer, method, headers, &body, &origin);
    }
    let (method, headers) = (parts.method, parts.headers);
    let mut request = ApiRequest::new(method, (headers, names), origin);
    // Authorized before the body is read, so that strangers cannot make the server buffer bodies.
    if let Some(record) = &mut record {
        record.set_refused();
    }
    let authorization = gateway.authorize(&request, &path).await?;
    request.body = read_body(gateway, body).await?;
    let is_explorer = matches!(authorization, RequestAuthorization::Session);
    if let Some(record) = record {
        record.set_body(&request.body, is_explorer);
    }
    let own = is_explorer.then(|| gateway.for_explorer());
    let gateway = own.as_ref().unwrap_or(gateway);
    gateway.authorize_body(&authorization, &request, &path).await?;
    match choose_fault(gateway, &request, &path) {
        None => gateway.dispatch(&request, &path).await,
        // Boxed, so that the future of a request without a fault stays small.
        Some(fault) => Box::pin(dispatch_with_fault(gateway, &request, &path, fault)).await,
    }
}

/// The fault to inject into a request of the API; our own routes have none.
fn choose_fault(
    gateway: &Gateway,
    request: &ApiRequest,
    path: &RequestPath<'_>,
) -> Option<InjectedFault> {
    let rules = gateway.settings().faults.as_ref()?;
    if path.segment(0) == Some("_planisphere") {
        return None;
    }
    let operation = operation_name(&request.method, path.raw, request.headers());
    rules.choose(operation, || gateway.engine().environment().random())
}

async fn dispatch_with_fault(
    gateway: &Gateway,
    request: &ApiRequest,
    path: &RequestPath<'_>,
    fault: InjectedFault,
) -> ApiResult<ApiResponse> {
    gateway.engine().environment().sleep(fault.delay).await;
    let Some(error) = fault.error else { return gateway.dispatch(request, path).await };
    if fault.is_applied {
        // Its result is lost on purpose, like that of a response that never arrives.
        let _ = gateway.dispatch(request, path).await;
    }
    Err(error)
}

/// How much of an oversized body is read and discarded.
const DRAINED_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How long a client may pause while its body is discarded.
const DRAIN_PAUSE_MAX: Duration = Duration::from_secs(1);

/// Discards the rest of a body. A client that is still sending when the connection closes would never read the
/// response.
async fn drain<B>(body: &mut B, time_max: Duration)
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    let mut rest = Limited::new(body, DRAINED_BYTES_MAX);
    // Bounded in bytes and in time: a client must not be able to keep the connection busy by sending for ever.
    // A client that pauses is no longer sending: it may already wait for the response.
    let draining = async {
        while let Ok(Some(Ok(_))) = tokio::time::timeout(DRAIN_PAUSE_MAX, rest.frame()).await {}
    };
    // Beyond any of the limits the connection is closed after the response; `StrictStream` then lingers for a while.
    let _ = tokio::time::timeout(time_max, draining).await;
}

/// Collects the bytes of a body. Most bodies come in one frame, which is returned without a copy.
async fn collect<B>(body: &mut B, bytes_max: usize) -> Result<Bytes, BoxError>
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    let mut body = Limited::new(body, bytes_max);
    let Some(first) = body.frame().await else { return Ok(Bytes::new()) };
    let first = first?.into_data().unwrap_or_default();
    if body.is_end_stream() {
        return Ok(first);
    }
    // One copy for bodies of several frames, none for a single one.
    let mut whole = first.chain(body.collect().await?.aggregate());
    Ok(whole.copy_to_bytes(whole.remaining()))
}

async fn read_body<B>(gateway: &Gateway, mut body: B) -> ApiResult<Bytes>
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let limits = &gateway.settings().limits;
    let read = {
        // In a block, so that the borrow of the body ends before it may be drained.
        let mut reading = pin!(collect(&mut body, limits.body_bytes_max));
        // Most bodies have arrived with the head. Polling once before starting the timeout saves its timer.
        match poll_fn(|context| Poll::Ready(reading.as_mut().poll(context))).await {
            Poll::Ready(read) => read,
            Poll::Pending => {
                let time_max = Duration::from_millis(limits.body_ms_max);
                let Ok(read) = tokio::time::timeout(time_max, reading).await else {
                    let message = "The request body came too slowly.";
                    return Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, message));
                };
                read
            }
        }
    };
    match read {
        Ok(bytes) => Ok(bytes),
        Err(error) if error.is::<LengthLimitError>() => {
            drain(&mut body, Duration::from_millis(limits.body_ms_max)).await;
            let bytes_max = limits.body_bytes_max;
            let message =
                format!("Request size is too large: at most {bytes_max} bytes are accepted.");
            Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message))
        }
        Err(error) => {
            Err(ApiError::bad_request(format!("The request body could not be read: {error}.")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_decimals() {
        let mut writer = HeaderValueWriter::new();
        for microseconds in [0, 7, 42, 999, 1000, 1010, 12_345, 7_000_100] {
            let text = write_milliseconds(&mut writer, microseconds).take().unwrap();
            let expected = format!("{}.{:03}", microseconds / 1000, microseconds % 1000);
            assert_eq!(writer.text_of(&text), Some(expected.as_str()));
        }
    }
}
