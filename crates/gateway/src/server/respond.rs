//! One request from the socket to its response.
//!
//! Owns the order: authorize, read the body, answer, add the headers every response has. A panic on the way is a 500
//! that names the activity id under which it is logged.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use bytes::{Buf, Bytes};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Body;
use hyper::header::{CACHE_CONTROL, CONTENT_LOCATION, HeaderName, HeaderValue, PRAGMA};
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode, Version};

use super::guarded::Guarded;
use crate::exchange::{Failure, HeaderText, Origin, Outcome, Reply, Request, header, header_value};
use crate::gateway::Gateway;
use crate::observe;
use crate::route::Path;

/// What every answer says.
const FIXED: [(HeaderName, HeaderValue); 5] = [
    (header::NUMBER_OF_READ_REGIONS, HeaderValue::from_static("0")),
    (header::XP_ROLE, HeaderValue::from_static("1")),
    (header::GATEWAY_VERSION, HeaderValue::from_static("version=2.14.0")),
    (header::SERVICE_VERSION, HeaderValue::from_static("version=2.14.0.0")),
    (header::SCHEMA_VERSION, HeaderValue::from_static("1.21")),
];
/// What every success says: it may be different the next time.
const NOT_CACHED: [(HeaderName, HeaderValue); 2] = [
    (CACHE_CONTROL, HeaderValue::from_static("no-store, no-cache")),
    (PRAGMA, HeaderValue::from_static("no-cache")),
];

type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl Gateway {
    /// Answers one request without a socket: for tests, and for servers that have sockets of their own.
    pub async fn respond(&self, request: hyper::Request<Full<Bytes>>) -> Response<Full<Bytes>> {
        match respond(self, request, "http").await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}

/// Answers one request.
pub(crate) async fn respond<B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin>(
    gateway: &Gateway,
    incoming: hyper::Request<B>,
    scheme: &'static str,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let activity_id = gateway.activity_id(incoming.headers());
    let began = gateway.engine().environment().stopwatch();
    let origin = Origin::of(incoming.uri(), scheme);
    let location = location(&incoming, &origin);
    let answer = Guarded::new(pin!(answer(gateway, incoming, origin))).await;
    let reply = match answer {
        Ok(Ok(reply)) => reply,
        Ok(Err(failure)) => failure.into_reply(activity_id.to_str().unwrap_or_default()),
        Err(panicked) => {
            let activity_id = activity_id.to_str().unwrap_or_default();
            gateway
                .settings()
                .log
                .write(&format!("activity {activity_id}: a request panicked: {}", panicked.0));
            let message = "The request failed because of a bug of this server. Its log tells more about this activity.";
            Failure::new(StatusCode::INTERNAL_SERVER_ERROR, message).into_reply(activity_id)
        }
    };
    let took = gateway.engine().environment().stopwatch().saturating_sub(began);
    let took_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    gateway.metrics().record(reply.status().as_u16(), took_us / 1000);
    let is_success = reply.status().is_success();
    let mut reply = reply
        .with_value(header::ACTIVITY_ID, activity_id)
        .with_written(header::REQUEST_DURATION, |written| milliseconds(written, took_us))
        .with_number(header::TRANSPORT_REQUEST_ID, gateway.next_request())
        .with_value(header::LAST_STATE_CHANGE, gateway.began())
        .with_all(FIXED);
    if let Some(location) = location {
        reply = reply.with_value(CONTENT_LOCATION, location);
    }
    if is_success {
        reply = reply.with_all(NOT_CACHED);
    }
    Ok(reply.into_response(gateway.header_tables()))
}

/// The whole address of a request that may be made again.
fn location<B>(incoming: &hyper::Request<B>, origin: &Origin) -> Option<HeaderValue> {
    match *incoming.method() {
        Method::GET | Method::PUT | Method::PATCH | Method::DELETE => {
            let address = origin.address(incoming.headers(), incoming.uri().path());
            header_value(Bytes::from(address))
        }
        _ => None,
    }
}

/// Milliseconds with three decimals.
fn milliseconds(written: &mut HeaderText, microseconds: u64) -> &mut HeaderText {
    let beyond = microseconds % 1000;
    let point: &[u8] = match beyond {
        0..10 => b".00",
        10..100 => b".0",
        _ => b".",
    };
    written.number(microseconds / 1000).ascii(point).number(beyond)
}

async fn answer<B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin>(
    gateway: &Gateway,
    incoming: hyper::Request<B>,
    origin: Origin,
) -> Outcome<Reply> {
    let (parts, body) = incoming.into_parts();
    check_headers(gateway, &parts)?;
    let path = Path::parse(parts.uri.path());
    if let Some(reply) = observe::answer(gateway, &parts.method, &path) {
        return Ok(reply);
    }
    if observe::is_for_test(gateway, &parts.method, &path) {
        let body = read_body(gateway, body).await?;
        return observe::control(gateway, &path, &body).await;
    }
    if observe::is_page(gateway, &parts.method, &path) {
        return Ok(observe::page(gateway, &origin.address(&parts.headers, "")));
    }
    let (method, headers) = (parts.method, parts.headers);
    let mut request = Request::new(method, headers, origin);
    let principal = gateway.authorize(&request, &path).await?;
    request.body = read_body(gateway, body).await?;
    principal.authorize_body(gateway, &request, &path)?;
    gateway.answer(&request, &path).await
}

/// Refuses headers that are too large, where the HTTP library would do so without a body.
fn check_headers(gateway: &Gateway, parts: &Parts) -> Outcome<()> {
    if parts.version != Version::HTTP_2 {
        return Ok(());
    }
    let bytes: usize =
        parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    let bytes = bytes + parts.uri.path().len();
    let bytes_max = gateway.settings().limits.header_bytes_max;
    if bytes <= bytes_max {
        return Ok(());
    }
    let message =
        format!("The headers of the request are too large: {bytes} bytes of {bytes_max} at most.");
    Err(Failure::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, message))
}

/// Bytes of a body that is too large which we still take, to throw them away.
const DRAINED_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Takes the rest of a body: a client that is still sending when the connection ends never reads our answer.
async fn drain<B>(body: &mut B, time_max: Duration)
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    let mut rest = Limited::new(body, DRAINED_BYTES_MAX);
    let draining = async { while let Some(Ok(_)) = rest.frame().await {} };
    // Beyond either bound the connection ends, as it would have without this.
    let _ = tokio::time::timeout(time_max, draining).await;
}

/// All bytes of a body; the usual one comes in one piece, which is passed on as it is.
async fn collected<B>(body: &mut B, bytes_max: usize) -> Result<Bytes, BoxError>
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    let mut body = Limited::new(body, bytes_max);
    let Some(first) = body.frame().await else { return Ok(Bytes::new()) };
    let first = first?.into_data().unwrap_or_default();
    if body.is_end_stream() {
        return Ok(first);
    }
    let mut whole = first.chain(body.collect().await?.aggregate());
    Ok(whole.copy_to_bytes(whole.remaining()))
}

async fn read_body<B>(gateway: &Gateway, mut body: B) -> Outcome<Bytes>
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let limits = &gateway.settings().limits;
    let read = {
        let mut reading = pin!(collected(&mut body, limits.body_bytes_max));
        // A body that is here already needs no clock.
        match poll_fn(|context| Poll::Ready(reading.as_mut().poll(context))).await {
            Poll::Ready(read) => read,
            Poll::Pending => {
                let time_max = Duration::from_millis(limits.body_ms_max);
                let Ok(read) = tokio::time::timeout(time_max, reading).await else {
                    let message = "The request body came too slowly.";
                    return Err(Failure::new(StatusCode::REQUEST_TIMEOUT, message));
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
                format!("Request size is too large: at most {bytes_max} bytes are taken.");
            Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, message))
        }
        Err(error) => {
            Err(Failure::bad_request(format!("The request body could not be read: {error}.")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_decimals() {
        let mut written = HeaderText::new();
        for microseconds in [0, 7, 42, 999, 1000, 1010, 12_345, 7_000_100] {
            let text = milliseconds(&mut written, microseconds).take().unwrap();
            let expected = format!("{}.{:03}", microseconds / 1000, microseconds % 1000);
            assert_eq!(text.to_str().unwrap(), expected);
        }
    }
}
