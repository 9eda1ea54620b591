//! The routes of the in-app list: a page, the unread count, reading and putting away.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use service::http::{Json, Outcome, Path, Problem, ProblemDocument, Query};
use service::identity::Principal;

use crate::domain::{Category, Notification};
use crate::question::ListOptions;
use crate::stream::shown;

use super::router::{ApiState, require_user};

/// What a page is asked by.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NotificationsQuery {
    /// Notifications of a page at most, 1 to 100.
    limit: Option<String>,
    /// Where the page before ended.
    continuation_token: Option<String>,
    /// Only this category.
    category: Option<String>,
}

/// A page of the list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageBody {
    /// Newest first.
    #[schema(value_type = Vec<Notification>)]
    notifications: Vec<Value>,
    /// Asks for the next page; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    continuation_token: Option<String>,
}

/// How many are unread.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct UnreadBody {
    unread_count: u64,
}

/// How many were marked.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MarkedBody {
    marked: u64,
}

/// The caller's notifications, newest first.
#[utoipa::path(get, path = "/api/notifications", params(NotificationsQuery), responses(
    (status = 200, body = PageBody),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    State(api): State<ApiState>,
    caller: Principal,
    Query(asked): Query<NotificationsQuery>,
) -> Outcome<Json<PageBody>> {
    let user = require_user(&caller)?;
    let category = category(asked.category.as_deref())?;
    let name = category.map_or("", Category::name);
    let question = ["notifications", user.as_str(), name];
    let continuation = match &asked.continuation_token {
        Some(cursor) => Some(api.kit.cursors().open(&question, cursor)?),
        None => None,
    };
    let options = ListOptions { limit: limit(asked.limit.as_deref())?, continuation, category };
    let page = api.system.list(&user, &options).await?.value;
    let seal = |continuation: String| api.kit.cursors().seal(&question, &continuation);
    Ok(Json(PageBody {
        notifications: page.notifications.iter().map(shown).collect(),
        continuation_token: page.continuation.map(seal),
    }))
}

fn limit(text: Option<&str>) -> Outcome<Option<usize>> {
    let wrong = |text: &str| {
        let message = format!("'{text}' is not between 1 and {}", ListOptions::LIMIT_MAX);
        Problem::invalid_field("limit", "out_of_range", message)
    };
    text.map(|text| text.parse().map_err(|_| wrong(text))).transpose()
}

fn category(name: Option<&str>) -> Outcome<Option<Category>> {
    let Some(name) = name else { return Ok(None) };
    let known = Category::ALL.map(Category::name).join(", ");
    let message = format!("'{name}' is no category; known are {known}");
    let unknown = || Problem::invalid_field("category", "unknown", message);
    Category::from_name(name).map(Some).ok_or_else(unknown)
}

/// How many notifications the caller has not read.
#[utoipa::path(get, path = "/api/notifications/unread-count", responses(
    (status = 200, body = UnreadBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn unread_count(
    State(api): State<ApiState>,
    caller: Principal,
) -> Outcome<Json<UnreadBody>> {
    let unread_count = api.system.unread_count(&require_user(&caller)?).await?.value;
    Ok(Json(UnreadBody { unread_count }))
}

/// Marks a notification as read. Again, it changes nothing.
#[utoipa::path(post, path = "/api/notifications/{id}/read", params(("id" = String, Path)),
    responses(
    (status = 200, body = Notification),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn read(
    State(api): State<ApiState>,
    caller: Principal,
    Path(id): Path<String>,
) -> Outcome<Json<Value>> {
    let notification = api.system.mark_read(&require_user(&caller)?, &id).await?.value;
    Ok(Json(shown(&notification)))
}

/// Puts a notification away. Again, it changes nothing.
#[utoipa::path(post, path = "/api/notifications/{id}/dismiss", params(("id" = String, Path)),
    responses(
    (status = 200, body = Notification),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn dismiss(
    State(api): State<ApiState>,
    caller: Principal,
    Path(id): Path<String>,
) -> Outcome<Json<Value>> {
    let notification = api.system.dismiss(&require_user(&caller)?, &id).await?.value;
    Ok(Json(shown(&notification)))
}

/// Marks everything in the caller's list as read.
#[utoipa::path(post, path = "/api/notifications/read-all", responses(
    (status = 200, body = MarkedBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn read_all(
    State(api): State<ApiState>,
    caller: Principal,
) -> Outcome<Json<MarkedBody>> {
    let marked = api.system.mark_all_read(&require_user(&caller)?).await?.value;
    Ok(Json(MarkedBody { marked }))
}
