//! What is switched on, so that a page offers no more than that.

use axum::extract::State;
use serde::Serialize;
use service::http::{HttpResult, JsonBody, ProblemDocument};
use service::identity::Caller;

use super::router::ChatApi;

/// What people can do here beyond sending and reading.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FeatureBody {
    /// Answer a message.
    reply_to: bool,
    /// Edit an own message; a deleted one leaves a tombstone.
    edit_messages: bool,
    /// See that somebody types.
    typing: bool,
    /// See how many messages of a room are unread.
    unread_counts: bool,
    /// Search.
    search: bool,
    /// Characters of a message.
    max_message_length: usize,
}

/// Shows what is switched on.
#[utoipa::path(get, path = "/api/features", responses(
    (status = 200, body = FeatureBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn show(
    State(api): State<ChatApi>,
    caller: Caller,
) -> HttpResult<JsonBody<FeatureBody>> {
    api.member(&caller).await?;
    let settings = api.chat.settings();
    let features = &settings.features;
    Ok(JsonBody(FeatureBody {
        reply_to: features.reply_to,
        edit_messages: features.edit_messages,
        typing: features.typing,
        unread_counts: features.unread_counts,
        search: features.search,
        max_message_length: settings.chat.max_message_length,
    }))
}
