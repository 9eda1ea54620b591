//! Events over HTTP: `text/event-stream`, with heartbeats and resumption by `Last-Event-ID`.
//!
//! Owns the response. A slow client costs no memory: the next event is taken from the ring only when the connection
//! accepts more data.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use axum::response::sse::{self, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream as streams;

use super::limit::{StreamLimit, StreamPermit};
use super::ring::{EventListener, EventRing};
use crate::http::caller_key::caller_key;
use crate::http::shutdown::ShutdownSignal;
use crate::identity::CallerEnd;
use crate::problem::Problem;

/// A comment line at this interval keeps proxies from closing the connection, and detects clients that are gone.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// A request for an event stream, counted against the limits. A route that writes its own stream keeps this value in
/// it, because dropping it returns the permit.
#[derive(Debug)]
pub struct EventStreamRequest {
    last: Option<String>,
    caller_end: CallerEnd,
    _permit: StreamPermit,
}

impl EventStreamRequest {
    /// The id of the last event the client received, if it reconnects.
    #[must_use]
    pub fn last_event_id(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// Completes when the session or the token of the caller has ended. A route that writes its own stream ends it
    /// then; [`EventRing::respond`] does.
    pub async fn caller_ended(&self) {
        self.caller_end.ended().await;
    }
}

impl<S: Send + Sync> FromRequestParts<S> for EventStreamRequest {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let limit = parts.extensions.get::<StreamLimit>();
        let limit = limit
            .ok_or_else(|| Problem::internal("the routes are outside of HttpServer::router"))?;
        let permit = limit.acquire(caller_key(&parts.extensions))?;
        let caller_end = parts.extensions.get::<CallerEnd>().cloned();
        let caller_end = caller_end
            .ok_or_else(|| Problem::internal("the routes are outside of HttpServer::router"))?;
        let value = parts.headers.get("last-event-id");
        // An id that is not ASCII was not issued by us; as an empty text it means a new listener.
        let last = value.map(|value| value.to_str().unwrap_or_default().to_owned());
        let last = last.filter(|last| !last.is_empty());
        Ok(Self { last, caller_end, _permit: permit })
    }
}

impl EventRing {
    /// The response of a route that streams a topic.
    #[must_use]
    pub fn respond(
        &self,
        topic: &str,
        stream: EventStreamRequest,
        shutdown: &ShutdownSignal,
    ) -> Response {
        let listener = self.listen(topic, stream.last_event_id(), shutdown);
        // The first id is sent before the first event, so that a client that received none can still resume.
        let first = listener.position().map(|id| sse::Event::default().id(id.to_string()));
        let events = streams::iter(first.map(Ok::<_, Infallible>));
        let answer =
            Sse::new(streams::StreamExt::chain(events, streams::unfold((listener, stream), next)));
        let mut response = answer.keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response();
        // nginx would otherwise collect events until its buffer is full.
        let unbuffered = HeaderName::from_static("x-accel-buffering");
        response.headers_mut().insert(unbuffered, HeaderValue::from_static("no"));
        response
    }
}

type StreamItem = Result<sse::Event, Infallible>;

async fn next(
    open: (EventListener, EventStreamRequest),
) -> Option<(StreamItem, (EventListener, EventStreamRequest))> {
    let (mut listener, stream) = open;
    let event = tokio::select! {
        event = listener.next() => event?,
        () = stream.caller_ended() => return None,
    };
    let written = sse::Event::default().id(event.id.to_string()).event(event.name).data(event.data);
    Some((Ok(written), (listener, stream)))
}
