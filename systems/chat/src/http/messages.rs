//! History, single messages, receipts, edits, deletion and search.

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use service::http::{HttpResult, JsonBody, PathParams, Problem, ProblemDocument, QueryParams};
use service::identity::Caller;

use super::router::{ChatApi, percent_encoded, room_name};
use crate::action::{MessageAddress, SearchCursor, SendRequest};
use crate::domain::{HistoryCursor, MessageView, UtcTimestamp};

const TAKE_DEFAULT: u32 = 20;
const TAKE_MAX: u32 = 100;

/// A page of history.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct HistoryQuery {
    /// Only messages strictly older than this time.
    before: Option<String>,
    /// With `before`: also messages of that very time with a smaller id. The next page of history is asked for with
    /// `timestamp` and `id` of the oldest message of this one.
    #[serde(rename = "beforeId")]
    #[param(rename = "beforeId")]
    before_id: Option<String>,
    /// How many, 1 to 100; 20 by default.
    take: Option<u32>,
}

/// The room of a message.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct RoomQuery {
    /// The room; without it the caller's rooms are searched.
    room: Option<String>,
}

/// What to search for.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SearchQuery {
    /// 2 to 100 characters.
    #[param(required = true)]
    q: Option<String>,
    /// One room; all rooms of the caller by default.
    room: Option<String>,
    /// Only messages strictly older than this time.
    before: Option<String>,
    /// With `before` and `beforeRoom`: the id of the oldest message of the former page, which this one continues.
    #[serde(rename = "beforeId")]
    #[param(rename = "beforeId")]
    before_id: Option<String>,
    /// The room of that message.
    #[serde(rename = "beforeRoom")]
    #[param(rename = "beforeRoom")]
    before_room: Option<String>,
    /// How many, 1 to 100; 20 by default.
    take: Option<u32>,
}

/// A message to send.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PostBody {
    /// The room.
    room: String,
    /// The text.
    content: String,
    /// The sender's own id of it.
    correlation_id: Option<String>,
    /// The message that it answers.
    reply_to: Option<String>,
}

/// The new text of a message.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EditBody {
    /// The text.
    content: String,
}

/// The newest messages of a room, oldest first.
#[utoipa::path(get, path = "/api/messages/room/{room}",
    params(("room" = String, Path), HistoryQuery), responses(
    (status = 200, body = Vec<MessageView>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn history(
    State(api): State<ChatApi>,
    caller: Caller,
    PathParams(room): PathParams<String>,
    QueryParams(query): QueryParams<HistoryQuery>,
) -> HttpResult<JsonBody<Vec<MessageView>>> {
    let member = api.member(&caller).await?;
    let (before, take) = (history_cursor(&query)?, take(query.take)?);
    let found = api.chat.history(&member, &room_name(&room)?, before.as_ref(), take).await?;
    Ok(JsonBody(found.value))
}

/// One message.
#[utoipa::path(get, path = "/api/messages/{id}",
    params(("id" = String, Path), RoomQuery), responses(
    (status = 200, body = MessageView),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn read(
    State(api): State<ChatApi>,
    caller: Caller,
    PathParams(id): PathParams<String>,
    QueryParams(query): QueryParams<RoomQuery>,
) -> HttpResult<JsonBody<MessageView>> {
    let member = api.member(&caller).await?;
    Ok(JsonBody(api.chat.message(&member, &address(id, &query)?).await?))
}

/// Sends a message.
#[utoipa::path(post, path = "/api/messages", request_body = PostBody, responses(
    (status = 201, body = MessageView),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 429, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn post(
    State(api): State<ChatApi>,
    caller: Caller,
    JsonBody(body): JsonBody<PostBody>,
) -> HttpResult<Response> {
    let member = api.member(&caller).await?;
    let room = room_name(&body.room)?;
    // Refused before the flag is looked at: the flag must not make a foreign room look like a missing route.
    api.chat.core.enter(&member, &room).await?;
    if !api.chat.settings().features.enable_rest_post_messages {
        return Err(Problem::not_found("Features:EnableRestPostMessages is off."));
    }
    let PostBody { content, correlation_id, reply_to, .. } = body;
    let request = SendRequest { room, content, correlation_id, reply_to };
    let sent = api.chat.send(&member, request).await?.value.view;
    let location = format!("/api/messages/{}?room={}", sent.id, percent_encoded(&sent.room));
    Ok((StatusCode::CREATED, [(LOCATION, location)], JsonBody(sent)).into_response())
}

/// Marks a message as read by the caller.
#[utoipa::path(post, path = "/api/messages/{id}/read",
    params(("id" = String, Path), RoomQuery), responses(
    (status = 204),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 429, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn mark_read(
    State(api): State<ChatApi>,
    caller: Caller,
    PathParams(id): PathParams<String>,
    QueryParams(query): QueryParams<RoomQuery>,
) -> HttpResult<StatusCode> {
    let member = api.member(&caller).await?;
    api.chat.mark_read(&member, &address(id, &query)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Replaces the text of a message of the caller.
#[utoipa::path(patch, path = "/api/messages/{id}",
    params(("id" = String, Path), RoomQuery), request_body = EditBody,
    responses(
    (status = 200, body = MessageView),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 429, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn edit(
    State(api): State<ChatApi>,
    caller: Caller,
    PathParams(id): PathParams<String>,
    QueryParams(query): QueryParams<RoomQuery>,
    JsonBody(body): JsonBody<EditBody>,
) -> HttpResult<JsonBody<MessageView>> {
    let member = api.member(&caller).await?;
    Ok(JsonBody(api.chat.edit(&member, &address(id, &query)?, &body.content).await?))
}

/// Deletes a message of the caller.
#[utoipa::path(delete, path = "/api/messages/{id}",
    params(("id" = String, Path), RoomQuery), responses(
    (status = 204),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn delete(
    State(api): State<ChatApi>,
    caller: Caller,
    PathParams(id): PathParams<String>,
    QueryParams(query): QueryParams<RoomQuery>,
) -> HttpResult<StatusCode> {
    let member = api.member(&caller).await?;
    api.chat.delete(&member, &address(id, &query)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The newest messages that contain a text, in the rooms of the caller.
#[utoipa::path(get, path = "/api/messages/search", params(SearchQuery), responses(
    (status = 200, body = Vec<MessageView>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn search(
    State(api): State<ChatApi>,
    caller: Caller,
    QueryParams(query): QueryParams<SearchQuery>,
) -> HttpResult<JsonBody<Vec<MessageView>>> {
    let member = api.member(&caller).await?;
    let room = query.room.as_deref().map(room_name).transpose()?;
    let (before, take) = (search_cursor(&query)?, take(query.take)?);
    let text = query.q.unwrap_or_default();
    let found = api.chat.search(&member, &text, room.as_ref(), before.as_ref(), take).await?;
    Ok(JsonBody(found.value))
}

fn address(id: String, query: &RoomQuery) -> HttpResult<MessageAddress> {
    let room = query.room.as_deref().map(room_name).transpose()?;
    Ok(MessageAddress { id, room })
}

fn time(text: Option<&str>) -> HttpResult<Option<UtcTimestamp>> {
    let parsed = text.map(UtcTimestamp::parse).transpose();
    parsed.map_err(|why| Problem::invalid_field("before", "invalid", why))
}

fn history_cursor(query: &HistoryQuery) -> HttpResult<Option<HistoryCursor>> {
    match (time(query.before.as_deref())?, &query.before_id) {
        (Some(time), None) => Ok(Some(HistoryCursor::before(time))),
        (Some(time), Some(id)) => Ok(Some(HistoryCursor::before_message(time, id))),
        (None, None) => Ok(None),
        (None, Some(_)) => Err(incomplete("beforeId", "before")),
    }
}

fn search_cursor(query: &SearchQuery) -> HttpResult<Option<SearchCursor>> {
    let message = match (&query.before_room, &query.before_id) {
        (Some(room), Some(id)) => Some((room_name(room)?, id.clone())),
        (None, None) => None,
        (Some(_), None) => return Err(incomplete("beforeRoom", "beforeId")),
        (None, Some(_)) => return Err(incomplete("beforeId", "beforeRoom")),
    };
    match time(query.before.as_deref())? {
        Some(timestamp) => Ok(Some(SearchCursor { timestamp, message })),
        None if message.is_some() => Err(incomplete("beforeId", "before")),
        None => Ok(None),
    }
}

fn incomplete(field: &str, missing: &str) -> Problem {
    Problem::invalid_field(field, "incomplete", format!("needs '{missing}', too"))
}

fn take(given: Option<u32>) -> HttpResult<u32> {
    let take = given.unwrap_or(TAKE_DEFAULT);
    if (1..=TAKE_MAX).contains(&take) {
        return Ok(take);
    }
    let why = format!("{take} is not between 1 and {TAKE_MAX}");
    Err(Problem::invalid_field("take", "out_of_range", why))
}
