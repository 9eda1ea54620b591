//! The routes of preferences.

use axum::extract::State;
use serde_json::Value;
use service::http::{Json, Outcome, ProblemDocument};
use service::identity::Principal;

use crate::action::PreferencesChange;
use crate::domain::{Preferences, Toggles};

use super::router::{ApiState, require_user};

/// Preferences as clients see and send them.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes a body")]
pub(super) struct PreferencesBody {
    /// IANA name.
    timezone: Option<String>,
    /// 24 values, one for each local hour; true is quiet.
    #[schema(min_items = 24, max_items = 24)]
    quiet_hours: Option<Vec<bool>>,
    /// What can be switched.
    #[schema(value_type = Option<Toggles>)]
    categories: Option<Toggles>,
    /// Language of texts.
    locale: Option<String>,
}

/// What the caller wants to be told, and when.
#[utoipa::path(get, path = "/api/notifications/preferences", responses(
    (status = 200, body = PreferencesBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn read(
    State(api): State<ApiState>,
    caller: Principal,
) -> Outcome<Json<Preferences>> {
    Ok(Json(api.system.preferences(&require_user(&caller)?).await?.value))
}

/// Changes what is given; the rest stays.
#[utoipa::path(put, path = "/api/notifications/preferences", request_body = PreferencesBody,
    responses(
    (status = 200, body = PreferencesBody),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn change(
    State(api): State<ApiState>,
    caller: Principal,
    Json(body): Json<Value>,
) -> Outcome<Json<Preferences>> {
    let user = require_user(&caller)?;
    let change = PreferencesChange::parse(&body)?;
    Ok(Json(api.system.change_preferences(&user, &change).await?.value))
}
