//! The live feed of a tenant: Server-Sent Events that can be resumed.
//!
//! Only the last event of a page has an id: a client that lost the connection within a page gets the page again. On an
//! account it also gets events of the safe window again. Clients leave out ids of events that they have had.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream::{StreamExt, iter, unfold};
use serde::Deserialize;
use service::http::{EventStreamRequest, HttpResult, ProblemDocument, QueryParams};
use service::identity::Caller;

use super::router::EventStoreApi;
use crate::domain::{DomainEvent, FeedPosition};
use crate::service_id::ServiceId;
use crate::store::{EventFeedReader, StoreScope};

/// A comment line so often keeps proxies from closing the connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Where the feed starts.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct StreamParams {
    /// The id of an event of this stream, or `now` for new events only; `Last-Event-ID` counts before it. The begin of
    /// the feed if absent.
    since: Option<String>,
}

struct OpenFeed {
    api: EventStoreApi,
    service: ServiceId,
    reader: EventFeedReader,
    /// Counts against the limits of open streams until it is dropped.
    stream: EventStreamRequest,
}

/// Events as they are appended.
#[utoipa::path(get, path = "/api/v1/events/stream", params(StreamParams), responses(
    (status = 200, content_type = "text/event-stream", body = String),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 429, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn stream(
    State(api): State<EventStoreApi>,
    caller: Caller,
    QueryParams(params): QueryParams<StreamParams>,
    stream: EventStreamRequest,
) -> HttpResult<Response> {
    let (scope, service) = api.scope(&caller)?;
    api.stream_events(scope, service, params, stream).await
}

impl EventStoreApi {
    /// The feed of a tenant as a response.
    pub(super) async fn stream_events(
        self,
        scope: StoreScope,
        service: ServiceId,
        params: StreamParams,
        stream: EventStreamRequest,
    ) -> HttpResult<Response> {
        let since = stream.last_event_id().or(params.since.as_deref());
        let reader = match since.filter(|text| !text.is_empty()) {
            None => scope.events.feed(None),
            Some("now") => scope.events.feed_from_end().await?,
            Some(text) => {
                let position = self.open("feed", &service, text)?;
                scope.events.feed(Some(FeedPosition::from_text(position)))
            }
        };
        let open = OpenFeed { api: self, service, reader, stream };
        let events = unfold(open, next_page).flat_map(iter).map(Ok::<_, Infallible>);
        let answer = Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT));
        let mut response = answer.into_response();
        // nginx would otherwise collect events until its buffer is full.
        let unbuffered = HeaderName::from_static("x-accel-buffering");
        response.headers_mut().insert(unbuffered, HeaderValue::from_static("no"));
        Ok(response)
    }
}

async fn next_page(mut open: OpenFeed) -> Option<(Vec<Event>, OpenFeed)> {
    let poll = open.api.system.settings().poll();
    let events = loop {
        let page = tokio::select! {
            page = open.reader.wait_for_page(poll) => page,
            () = open.stream.caller_ended() => return None,
            () = open.api.server.shutdown().triggered() => return None,
        };
        match page {
            Ok(events) if events.is_empty() => {}
            Ok(events) => break events,
            Err(error) => {
                // The client connects again and goes on at its last id.
                tracing::warn!(service_id = %open.service, %error, "a feed ended");
                return None;
            }
        }
    };
    let position = open.reader.position().map(ToString::to_string);
    let position = position.map(|text| open.api.seal("feed", &open.service, &text));
    let last = events.len().saturating_sub(1);
    let written = events.iter().enumerate().filter_map(|(index, event)| {
        let id = position.as_ref().filter(|_| index == last);
        to_sse(event, id)
    });
    Some((written.collect(), open))
}

fn to_sse(event: &DomainEvent, id: Option<&String>) -> Option<Event> {
    let data = serde_json::to_string(event).ok()?;
    let sse = Event::default().event("event").data(data);
    Some(id.into_iter().fold(sse, |sse, id| sse.id(id.as_str())))
}
