//! The routes of preferences.

use axum::extract::State;
use serde_json::Value;
use service::http::{HttpResult, JsonBody, ProblemDocument};
use service::identity::Caller;

use crate::action::{PreferencesBody, PreferencesChange};
use crate::domain::Preferences;

use super::router::{ApiState, require_user};

/// The caller's preferences.
#[utoipa::path(get, path = "/api/notifications/preferences", responses(
    (status = 200, body = Preferences),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn read(
    State(api): State<ApiState>,
    caller: Caller,
) -> HttpResult<JsonBody<Preferences>> {
    Ok(JsonBody(api.system.preferences(&require_user(&caller)?).await?.value))
}

/// Changes the given preferences; the others stay.
#[utoipa::path(put, path = "/api/notifications/preferences", request_body = PreferencesBody,
    responses(
    (status = 200, body = Preferences),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn change(
    State(api): State<ApiState>,
    caller: Caller,
    JsonBody(body): JsonBody<Value>,
) -> HttpResult<JsonBody<Preferences>> {
    let user = require_user(&caller)?;
    let change = PreferencesChange::parse(body)?;
    Ok(JsonBody(api.system.change_preferences(&user, &change).await?.value))
}
