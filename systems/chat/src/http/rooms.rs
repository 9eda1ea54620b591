//! The rooms of the caller.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use service::http::{HttpResult, JsonBody, PathParams, Problem, ProblemDocument};
use service::identity::Caller;

use super::router::{ChatApi, room_name};
use crate::action::RoomUnread;
use crate::domain::ChatRoom;

/// A room.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct RoomBody {
    /// Equal to the name.
    id: String,
    /// The name.
    name: String,
}

impl From<&ChatRoom> for RoomBody {
    fn from(room: &ChatRoom) -> Self {
        Self { id: room.id.clone(), name: room.name.as_str().to_owned() }
    }
}

/// The rooms of the caller.
#[utoipa::path(get, path = "/api/rooms", responses(
    (status = 200, body = Vec<RoomBody>),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    State(api): State<ChatApi>,
    caller: Caller,
) -> HttpResult<JsonBody<Vec<RoomBody>>> {
    let member = api.member(&caller).await?;
    let rooms = api.chat.rooms_of(&member).await?;
    Ok(JsonBody(rooms.iter().map(RoomBody::from).collect()))
}

/// One room of the caller.
#[utoipa::path(get, path = "/api/rooms/{name}", params(("name" = String, Path)), responses(
    (status = 200, body = RoomBody),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn read(
    State(api): State<ChatApi>,
    caller: Caller,
    PathParams(name): PathParams<String>,
) -> HttpResult<JsonBody<RoomBody>> {
    let member = api.member(&caller).await?;
    let name = room_name(&name)?;
    match api.chat.core.enter(&member, &name).await {
        Ok(room) => Ok(JsonBody(RoomBody::from(&*room))),
        // A room of others is not shown to exist.
        Err(error) if error.kind() == crate::error::ErrorKind::Forbidden => {
            Err(Problem::not_found(format!("There is no room '{name}'.")))
        }
        Err(error) => Err(error.into()),
    }
}

/// The unread counts of the caller's rooms.
#[utoipa::path(get, path = "/api/rooms/unread", responses(
    (status = 200, body = Vec<RoomUnread>),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn unread(
    State(api): State<ChatApi>,
    caller: Caller,
) -> HttpResult<JsonBody<Vec<RoomUnread>>> {
    let member = api.member(&caller).await?;
    Ok(JsonBody(api.chat.unread(&member, None).await?.value))
}

/// The caller has seen a room up to now.
#[utoipa::path(post, path = "/api/rooms/{name}/seen", params(("name" = String, Path)), responses(
    (status = 204),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 429, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn seen(
    State(api): State<ChatApi>,
    caller: Caller,
    PathParams(name): PathParams<String>,
) -> HttpResult<StatusCode> {
    let member = api.member(&caller).await?;
    api.chat.mark_room_seen(&member, &room_name(&name)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
