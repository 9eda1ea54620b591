//! The stream of one's own list: new and changed notifications, each followed by the unread count.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream::{self, StreamExt};
use serde_json::json;
use service::http::{LastEventId, Listener, Outcome, ProblemDocument};
use service::identity::Principal;

use crate::words::UserId;

use super::router::{Api, user_of};

/// A line so often keeps proxies from closing the connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

struct Open {
    api: Api,
    user: UserId,
    listener: Listener,
}

/// What happens in the caller's list, as it happens: `new`, `updated`, `changed`, each followed by `unread`.
#[utoipa::path(get, path = "/api/notifications/stream", responses(
    (status = 200, content_type = "text/event-stream", body = String),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn stream(
    State(api): State<Api>,
    caller: Principal,
    last: LastEventId,
) -> Outcome<Response> {
    let user = user_of(&caller)?;
    let events = api.system.core.signals.events();
    let listener = events.listen(user.as_str(), last.as_deref(), api.kit.stop());
    let begin = unread(&api, &user, listener.position().map(|id| id.to_string())).await;
    let open = Open { api, user, listener };
    let further = stream::unfold(open, next).flat_map(stream::iter);
    let all = stream::iter([begin]).chain(further).map(Ok::<_, Infallible>);
    let answer = Sse::new(all).keep_alive(KeepAlive::new().interval(HEARTBEAT));
    Ok(answer.into_response())
}

async fn next(mut open: Open) -> Option<(Vec<Event>, Open)> {
    let event = open.listener.next().await?;
    let told = Event::default().event(event.name).data(event.data);
    let count = unread(&open.api, &open.user, Some(event.id.to_string())).await;
    Some((vec![told, count], open))
}

/// The unread count. It carries the place to go on from, because it is the last part of each piece of news.
async fn unread(api: &Api, user: &UserId, id: Option<String>) -> Event {
    let event = Event::default().event("unread");
    let event = id.into_iter().fold(event, Event::id);
    match api.system.unread_count(user).await {
        Ok(count) => event.data(json!({ "unreadCount": count.value }).to_string()),
        Err(error) => {
            tracing::warn!(user = user.hashed(), error = %error, "a stream could not count");
            event.data("{}")
        }
    }
}
