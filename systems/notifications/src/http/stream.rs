//! The stream of the caller's list: new and changed notifications, followed by the unread count.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream::{StreamExt, iter, unfold};
use serde_json::json;
use service::http::{EventStreamRequest, HttpResult, ProblemDocument};
use service::identity::Caller;

use crate::domain::UserId;
use crate::stream::StreamListener;

use super::router::{ApiState, require_user};

/// A comment line so often keeps proxies from closing the connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Events sent together, with one unread count after them.
const BATCH_MAX: usize = 100;

struct OpenListStream {
    api: ApiState,
    user: UserId,
    listener: StreamListener,
    /// Counts against the limits of open streams until it is dropped.
    stream: EventStreamRequest,
}

/// Changes of the caller's list as they happen: `new`, `updated`, `changed` (read the list again), then `unread`.
#[utoipa::path(get, path = "/api/notifications/stream", responses(
    (status = 200, content_type = "text/event-stream", body = String),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 429, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn stream(
    State(api): State<ApiState>,
    caller: Caller,
    stream: EventStreamRequest,
) -> HttpResult<Response> {
    let user = require_user(&caller)?;
    let streams = &api.system.core.streams;
    let listener = streams.listen(&user, stream.last_event_id(), api.server.shutdown()).await?;
    let position = listener.listener.position().map(|id| id.to_string());
    // Counted after listening began: a change in between is sent again, and none is missed.
    let first = unread_event(&api, &user, position).await;
    let open = OpenListStream { api, user, listener, stream };
    let later = unfold(open, next_batch).flat_map(iter);
    let events = iter([first]).chain(later).map(Ok::<_, Infallible>);
    let response = Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT));
    Ok(response.into_response())
}

async fn next_batch(mut open: OpenListStream) -> Option<(Vec<Event>, OpenListStream)> {
    let listener = &mut open.listener.listener;
    // The stream ends with the session: a signed-out browser must not go on receiving the list.
    let first = tokio::select! {
        first = listener.next() => first?,
        () = open.stream.caller_ended() => return None,
    };
    let mut changes = vec![first];
    // Counting costs a query, so changes that are already there share one count.
    while let Some(more) = (changes.len() < BATCH_MAX).then(|| listener.next_now()).flatten() {
        changes.push(more);
    }
    let position = changes.last().map(|last| last.id.to_string());
    let mut events: Vec<_> = changes.into_iter().map(to_sse).collect();
    events.push(unread_event(&open.api, &open.user, position).await);
    Some((events, open))
}

/// After a reset, events may have been lost; the client reads the list again, as after many changes.
fn to_sse(event: service::http::ServerEvent) -> Event {
    let name = if event.is_reset() { "changed" } else { event.name };
    Event::default().event(name).data(event.data)
}

/// The unread count. Only this event has an id to resume from, because it is the last one of a batch: a client that
/// lost the connection in the middle of a batch gets the whole batch again.
async fn unread_event(api: &ApiState, user: &UserId, id: Option<String>) -> Event {
    let event = Event::default().event("unread");
    let event = id.into_iter().fold(event, Event::id);
    match api.system.unread_count(user).await {
        Ok(count) => event.data(json!({ "unreadCount": count.value }).to_string()),
        Err(error) => {
            tracing::warn!(user = user.hash_hex(), error = %error, "the unread count of a stream could not be read");
            event.data("{}")
        }
    }
}
