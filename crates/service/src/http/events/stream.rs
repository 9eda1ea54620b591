//! Events over HTTP: `text/event-stream`, with heartbeats and resume by `Last-Event-ID`.
//!
//! Owns the answer. A slow client costs nothing: the next event is taken from the ring only when the connection has
//! room.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use axum::response::sse::{self, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream as streams;

use super::limit::{StreamLimit, StreamPermit};
use super::ring::{Events, Listener};
use crate::http::layer::caller;
use crate::http::problem::Problem;
use crate::http::serve::Stop;

/// A line so often keeps proxies from closing the connection, and finds clients that are gone.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// A stream that a route is about to open: one of those its caller may have. A route that writes its own stream keeps
/// this in it until it ends.
#[derive(Debug)]
pub struct OpenStream {
    last: Option<String>,
    _permit: StreamPermit,
}

impl OpenStream {
    /// The id of the event after which the listener stopped, if it was here before.
    #[must_use]
    pub fn last_event_id(&self) -> Option<&str> {
        self.last.as_deref()
    }
}

impl<S: Send + Sync> FromRequestParts<S> for OpenStream {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let limit = parts.extensions.get::<StreamLimit>();
        let limit =
            limit.ok_or_else(|| Problem::internal("the routes are not wrapped by the kit"))?;
        let permit = limit.take(caller(&parts.extensions))?;
        let value = parts.headers.get("last-event-id");
        let last = value.map(|value| value.to_str().unwrap_or_default().to_owned());
        Ok(Self { last: last.filter(|last| !last.is_empty()), _permit: permit })
    }
}

impl Events {
    /// The answer of a route that streams a topic.
    #[must_use]
    pub fn respond(&self, topic: &str, stream: OpenStream, stop: &Stop) -> Response {
        let listener = self.listen(topic, stream.last_event_id(), stop);
        // The first id comes before the first event, so that a listener who heard nothing can still come back.
        let first = listener.position().map(|id| sse::Event::default().id(id.to_string()));
        let events = streams::iter(first.map(Ok::<_, Infallible>));
        let answer =
            Sse::new(streams::StreamExt::chain(events, streams::unfold((listener, stream), next)));
        let mut response = answer.keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response();
        let unbuffered = HeaderName::from_static("x-accel-buffering");
        response.headers_mut().insert(unbuffered, HeaderValue::from_static("no"));
        response
    }
}

type Told = Result<sse::Event, Infallible>;

async fn next(open: (Listener, OpenStream)) -> Option<(Told, (Listener, OpenStream))> {
    let (mut listener, stream) = open;
    let event = listener.next().await?;
    let written = sse::Event::default().id(event.id.to_string()).event(event.name).data(event.data);
    Some((Ok(written), (listener, stream)))
}
