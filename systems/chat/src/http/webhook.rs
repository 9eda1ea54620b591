//! Posting with the token of a hook.

use axum::extract::State;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use serde::Deserialize;
use service::http::{HttpResult, JsonBody, Problem, ProblemDocument};

use super::router::ChatApi;
use crate::domain::MessageView;

/// A message of a program.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct HookBody {
    /// The text.
    content: String,
    /// The program's own id of it: the same id again is the same message.
    correlation_id: Option<String>,
}

/// Posts into the room of a hook. The header is `authorization: Hook <token>`.
#[utoipa::path(post, path = "/api/hooks", request_body = HookBody, security(()), responses(
    (status = 201, body = MessageView),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 429, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn post(
    State(api): State<ChatApi>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<HookBody>,
) -> HttpResult<(StatusCode, JsonBody<MessageView>)> {
    let line = headers.get(AUTHORIZATION).and_then(|line| line.to_str().ok()).unwrap_or_default();
    let token = line.strip_prefix("Hook ").ok_or_else(|| {
        Problem::unauthorized("sign_in_refused", "Send the token: authorization: Hook <token>.")
    })?;
    let sent = api.chat.post_by_hook(token.trim(), body.content, body.correlation_id).await?;
    Ok((StatusCode::CREATED, JsonBody(sent.value.view)))
}
