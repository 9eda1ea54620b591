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
use futures::stream;

use super::ring::{Events, Listener};
use crate::http::serve::Stop;

/// A line so often keeps proxies from closing the connection, and finds clients that are gone.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Where a listener stopped, if it was here before.
#[derive(Clone, Debug, Default)]
pub struct LastEventId(Option<String>);

impl LastEventId {
    /// The id as text.
    #[must_use]
    pub fn as_deref(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl<S: Send + Sync> FromRequestParts<S> for LastEventId {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let value = parts.headers.get("last-event-id");
        let text = value.map(|value| value.to_str().unwrap_or_default().to_owned());
        Ok(Self(text.filter(|text| !text.is_empty())))
    }
}

impl Events {
    /// The answer of a route that streams a topic.
    #[must_use]
    pub fn respond(&self, topic: &str, last: &LastEventId, stop: &Stop) -> Response {
        let listener = self.listen(topic, last.as_deref(), stop);
        // The first id comes before the first event, so that a listener who heard nothing can still come back.
        let first = listener.position().map(|id| sse::Event::default().id(id.to_string()));
        let events = stream::iter(first.map(Ok::<_, Infallible>));
        let answer = Sse::new(stream::StreamExt::chain(events, stream::unfold(listener, next)));
        let mut response = answer.keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response();
        let unbuffered = HeaderName::from_static("x-accel-buffering");
        response.headers_mut().insert(unbuffered, HeaderValue::from_static("no"));
        response
    }
}

async fn next(mut listener: Listener) -> Option<(Result<sse::Event, Infallible>, Listener)> {
    let event = listener.next().await?;
    let written = sse::Event::default().id(event.id.to_string()).event(event.name).data(event.data);
    Some((Ok(written), listener))
}
