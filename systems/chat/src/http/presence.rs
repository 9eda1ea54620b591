//! Who is here, and what clients report about their connections.

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use service::http::{HttpResult, JsonBody, ProblemDocument};
use service::identity::Caller;

use super::router::ChatApi;
use crate::domain::{PresentUser, RoomName};

/// Who is in a room.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct RoomPresence {
    room: String,
    count: usize,
    users: Vec<PersonBody>,
}

/// A person in a room.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PersonBody {
    user_name: String,
    full_name: Option<String>,
}

/// How many are in each room.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct PresenceCount {
    total: usize,
    rooms: Vec<RoomPresence>,
}

/// A reconnect of a client.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReconnectBody {
    /// Which attempt it was.
    attempt: u32,
    /// How long the client had waited.
    delay_ms: u64,
    /// What kind of error it followed.
    error_category: Option<String>,
    /// The error.
    error_message: Option<String>,
}

/// Who is in the rooms of the caller.
#[utoipa::path(get, path = "/api/presence", responses(
    (status = 200, body = Vec<RoomPresence>),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn presence(
    State(api): State<ChatApi>,
    caller: Caller,
) -> HttpResult<JsonBody<Vec<RoomPresence>>> {
    Ok(JsonBody(visible(&api, &caller).await?))
}

/// How many are in the rooms of the caller.
#[utoipa::path(get, path = "/api/health/chat/presence", responses(
    (status = 200, body = PresenceCount),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn count(
    State(api): State<ChatApi>,
    caller: Caller,
) -> HttpResult<JsonBody<PresenceCount>> {
    let rooms = visible(&api, &caller).await?;
    let total = rooms.iter().map(|room| room.count).sum();
    Ok(JsonBody(PresenceCount { total, rooms }))
}

async fn visible(api: &ChatApi, caller: &Caller) -> HttpResult<Vec<RoomPresence>> {
    let member = api.member(caller).await?;
    let rooms = api.chat.core.presence_by_room().await?;
    let may_enter =
        |room: &str| RoomName::parse(room).is_ok_and(|room| member.user().may_enter(&room));
    let rooms = rooms.into_iter().filter(|(room, _)| may_enter(room)).map(|(room, users)| {
        let person =
            |user: PresentUser| PersonBody { user_name: user.user_name, full_name: user.full_name };
        let users: Vec<_> = users.into_iter().map(person).collect();
        RoomPresence { room, count: users.len(), users }
    });
    Ok(rooms.collect())
}

/// A client reports that it reconnected.
#[utoipa::path(post, path = "/api/telemetry/reconnect", request_body = ReconnectBody, responses(
    (status = 202, description = "Counted."),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn reconnect(
    State(api): State<ChatApi>,
    caller: Caller,
    JsonBody(body): JsonBody<ReconnectBody>,
) -> StatusCode {
    api.chat.core.counters.count_reconnect();
    let ReconnectBody { attempt, delay_ms, error_category, error_message } = body;
    let (category, error) = (for_log(error_category), for_log(error_message));
    tracing::info!(
        caller = caller.log_name(),
        attempt,
        delay_ms,
        category,
        error,
        "a client reconnected"
    );
    StatusCode::ACCEPTED
}

/// A text of a client in a log: one line, and not long.
fn for_log(text: Option<String>) -> String {
    let text = text.unwrap_or_default();
    text.chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect()
}
