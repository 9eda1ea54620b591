//! Administration of users, rooms and hooks.

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use service::http::{HttpResult, JsonBody, PathParams, Problem, ProblemDocument};
use service::identity::Caller;

use super::router::{ChatApi, room_name};
use crate::action::UserChange;
use crate::domain::{ChatRoom, ChatUser};

/// The rooms of a user.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct UserRoomsBody {
    /// Names of rooms.
    fixed_rooms: Vec<String>,
}

/// A new room.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewRoomBody {
    /// Its name.
    name: String,
    /// Seconds that its messages live.
    retention_seconds: Option<u32>,
}

/// How long messages of a room live.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RetentionBody {
    /// Seconds; null for the setting of the container.
    retention_seconds: Option<u32>,
}

/// A new hook.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewHookBody {
    /// Its messages come from `hook:{name}`.
    name: String,
}

/// A hook and its token.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct HookTokenBody {
    room: String,
    name: String,
    /// Is shown once.
    token: String,
}

/// All users.
#[utoipa::path(get, path = "/api/admin/users", responses(
    (status = 200, body = serde_json::Value),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn users(
    State(api): State<ChatApi>,
    caller: Caller,
) -> HttpResult<JsonBody<Vec<ChatUser>>> {
    api.require_admin(&caller)?;
    Ok(JsonBody(api.chat.users().get_all().await?.value))
}

/// Creates a user.
#[utoipa::path(post, path = "/api/admin/users", request_body = serde_json::Value, responses(
    (status = 201, body = serde_json::Value),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn create_user(
    State(api): State<ChatApi>,
    caller: Caller,
    JsonBody(user): JsonBody<ChatUser>,
) -> HttpResult<(StatusCode, JsonBody<ChatUser>)> {
    api.require_admin(&caller)?;
    Ok((StatusCode::CREATED, JsonBody(api.chat.create_user(&user).await?)))
}

/// Changes a user.
#[utoipa::path(patch, path = "/api/admin/users/{userName}", params(("userName" = String, Path)),
    request_body = UserChange, responses(
    (status = 200, body = serde_json::Value),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn change_user(
    State(api): State<ChatApi>,
    caller: Caller,
    PathParams(name): PathParams<String>,
    JsonBody(change): JsonBody<UserChange>,
) -> HttpResult<JsonBody<ChatUser>> {
    api.require_admin(&caller)?;
    Ok(JsonBody(api.chat.change_user(&name, change).await?))
}

/// Sets the rooms of a user.
#[utoipa::path(put, path = "/api/admin/users/{userName}/rooms", params(("userName" = String, Path)),
    request_body = UserRoomsBody, responses(
    (status = 200, body = serde_json::Value),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn set_rooms(
    State(api): State<ChatApi>,
    caller: Caller,
    PathParams(name): PathParams<String>,
    JsonBody(body): JsonBody<UserRoomsBody>,
) -> HttpResult<JsonBody<ChatUser>> {
    api.require_admin(&caller)?;
    Ok(JsonBody(api.chat.set_user_rooms(&name, &body.fixed_rooms).await?))
}

/// All rooms, with their members.
#[utoipa::path(get, path = "/api/admin/rooms", responses(
    (status = 200, body = serde_json::Value),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn rooms(
    State(api): State<ChatApi>,
    caller: Caller,
) -> HttpResult<JsonBody<Vec<ChatRoom>>> {
    api.require_admin(&caller)?;
    Ok(JsonBody(api.chat.rooms().get_all().await?.value))
}

/// Creates a room.
#[utoipa::path(post, path = "/api/admin/rooms", request_body = NewRoomBody, responses(
    (status = 201, body = serde_json::Value),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn create_room(
    State(api): State<ChatApi>,
    caller: Caller,
    JsonBody(body): JsonBody<NewRoomBody>,
) -> HttpResult<(StatusCode, JsonBody<ChatRoom>)> {
    api.require_admin(&caller)?;
    let room = api.chat.create_room(&body.name, body.retention_seconds).await?;
    Ok((StatusCode::CREATED, JsonBody(room)))
}

/// Sets how long messages of a room live.
#[utoipa::path(put, path = "/api/admin/rooms/{name}/retention", params(("name" = String, Path)),
    request_body = RetentionBody, responses(
    (status = 200, body = serde_json::Value),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn set_retention(
    State(api): State<ChatApi>,
    caller: Caller,
    PathParams(name): PathParams<String>,
    JsonBody(body): JsonBody<RetentionBody>,
) -> HttpResult<JsonBody<ChatRoom>> {
    api.require_admin(&caller)?;
    Ok(JsonBody(api.chat.set_retention(&name, body.retention_seconds).await?))
}

/// Creates a hook that posts into a room.
#[utoipa::path(post, path = "/api/admin/rooms/{name}/hooks", params(("name" = String, Path)),
    request_body = NewHookBody, responses(
    (status = 201, body = HookTokenBody),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn create_hook(
    State(api): State<ChatApi>,
    caller: Caller,
    PathParams(name): PathParams<String>,
    JsonBody(body): JsonBody<NewHookBody>,
) -> HttpResult<(StatusCode, JsonBody<HookTokenBody>)> {
    api.require_admin(&caller)?;
    let (hook, token) = api.chat.create_hook(&room_name(&name)?, &body.name).await?;
    let room = hook.room.as_str().to_owned();
    Ok((StatusCode::CREATED, JsonBody(HookTokenBody { room, name: hook.name, token })))
}

/// A room as lines of JSON, oldest message first.
#[utoipa::path(get, path = "/api/admin/rooms/{name}/export",
    params(("name" = String, Path)), responses(
    (status = 200, body = String, content_type = "application/x-ndjson"),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn export_room(
    State(api): State<ChatApi>,
    caller: Caller,
    PathParams(name): PathParams<String>,
) -> HttpResult<Response> {
    api.require_admin(&caller)?;
    if !api.chat.settings().features.room_export {
        return Err(Problem::not_found("Features:RoomExport is off."));
    }
    let export = api.chat.export_room(&room_name(&name)?).await?;
    // A failure in the middle ends the body without its end, so that a client sees that it is cut off.
    let pages = futures::stream::try_unfold(export, |mut export| async move {
        match export.next().await {
            Ok(Some(lines)) => Ok(Some((lines, export))),
            Ok(None) => Ok(None),
            Err(error) => Err(std::io::Error::other(error.to_string())),
        }
    });
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(pages)).into_response())
}
