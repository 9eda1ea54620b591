//! The stream of one's own list: new and changed notifications, each followed by the unread count.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream::{StreamExt, iter, unfold};
use serde_json::json;
use service::http::{OpenStream, Outcome, ProblemDocument};
use service::identity::Principal;

use crate::domain::UserId;
use crate::stream::StreamListener;

use super::router::{ApiState, require_user};

/// A line so often keeps proxies from closing the connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Signals told at once, with one count after them.
const NEWS_MAX: usize = 100;

struct OpenListStream {
    api: ApiState,
    user: UserId,
    listening: StreamListener,
    _stream: OpenStream,
}

/// What happens in the caller's list, as it happens: `new`, `updated`, `changed` (read the list again), then `unread`.
#[utoipa::path(get, path = "/api/notifications/stream", responses(
    (status = 200, content_type = "text/event-stream", body = String),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 429, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn stream(
    State(api): State<ApiState>,
    caller: Principal,
    stream: OpenStream,
) -> Outcome<Response> {
    let user = require_user(&caller)?;
    let signals = &api.system.core.streams;
    let listening = signals.listen(&user, stream.last_event_id(), api.kit.stop()).await?;
    let place = listening.listener.position().map(|id| id.to_string());
    let begin = unread(&api, &user, place).await;
    let open = OpenListStream { api, user, listening, _stream: stream };
    let further = unfold(open, next).flat_map(iter);
    let all = iter([begin]).chain(further).map(Ok::<_, Infallible>);
    let answer = Sse::new(all).keep_alive(KeepAlive::new().interval(HEARTBEAT));
    Ok(answer.into_response())
}

async fn next(mut open: OpenListStream) -> Option<(Vec<Event>, OpenListStream)> {
    let listener = &mut open.listening.listener;
    let mut news = vec![listener.next().await?];
    // What is there already needs no count of its own.
    while let Some(more) = (news.len() < NEWS_MAX).then(|| listener.next_now()).flatten() {
        news.push(more);
    }
    let place = news.last().map(|last| last.id.to_string());
    let mut told: Vec<_> = news.into_iter().map(to_sse).collect();
    told.push(unread(&open.api, &open.user, place).await);
    Some((told, open))
}

/// A listener that lost something reads the list again, as after many changes.
fn to_sse(event: service::http::Event) -> Event {
    let name = if event.is_reset() { "changed" } else { event.name };
    Event::default().event(name).data(event.data)
}

/// The unread count. It carries the place to go on from, because it is the last part of each piece of news.
async fn unread(api: &ApiState, user: &UserId, id: Option<String>) -> Event {
    let event = Event::default().event("unread");
    let event = id.into_iter().fold(event, Event::id);
    match api.system.unread_count(user).await {
        Ok(count) => event.data(json!({ "unreadCount": count.value }).to_string()),
        Err(error) => {
            tracing::warn!(user = user.hash_hex(), error = %error, "a stream could not count");
            event.data("{}")
        }
    }
}
