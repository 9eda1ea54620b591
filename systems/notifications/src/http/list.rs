//! The routes of the in-app list: a page, the unread count, marking as read, dismissing.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use service::http::{HttpResult, JsonBody, PathParams, Problem, ProblemDocument, QueryParams};
use service::identity::Caller;

use crate::domain::{Category, NotificationBody};
use crate::question::ListOptions;

use super::router::{ApiState, require_user};

/// Which page.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NotificationsQuery {
    /// Notifications per page, 1 to 100.
    limit: Option<String>,
    /// The token of the previous page.
    continuation_token: Option<String>,
    /// Only this category.
    category: Option<String>,
}

/// A page of the list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageBody {
    /// Newest first.
    notifications: Vec<NotificationBody>,
    /// Asks for the next page; absent on the last one.
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
    caller: Caller,
    QueryParams(query): QueryParams<NotificationsQuery>,
) -> HttpResult<JsonBody<PageBody>> {
    let user = require_user(&caller)?;
    let category = category(query.category.as_deref())?;
    let name = category.map_or("", Category::name);
    // The cursor is bound to this list, so that it cannot be used for the list of another user.
    let scope = ["notifications", user.as_str(), name];
    let continuation = match &query.continuation_token {
        Some(cursor) => Some(api.server.cursors().open(&scope, cursor)?),
        None => None,
    };
    let options = ListOptions { limit: limit(query.limit.as_deref())?, continuation, category };
    let page = api.system.list(&user, &options).await?.value;
    let seal = |continuation: String| api.server.cursors().seal(&scope, &continuation);
    Ok(JsonBody(PageBody {
        notifications: page.notifications.into_iter().map(Into::into).collect(),
        continuation_token: page.continuation.map(seal),
    }))
}

fn limit(text: Option<&str>) -> HttpResult<Option<usize>> {
    let wrong = |text: &str| {
        let message = format!("'{text}' is not between 1 and {}", ListOptions::LIMIT_MAX);
        Problem::invalid_field("limit", "out_of_range", message)
    };
    // Taken as text and parsed here, so that a wrong number is reported like any other field.
    text.map(|text| text.parse().map_err(|_| wrong(text))).transpose()
}

fn category(name: Option<&str>) -> HttpResult<Option<Category>> {
    let Some(name) = name else { return Ok(None) };
    let known = Category::ALL.map(Category::name).join(", ");
    let message = format!("'{name}' is not a category; known are {known}");
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
    caller: Caller,
) -> HttpResult<JsonBody<UnreadBody>> {
    let unread_count = api.system.unread_count(&require_user(&caller)?).await?.value;
    Ok(JsonBody(UnreadBody { unread_count }))
}

/// Marks a notification as read. Repeating it changes nothing.
#[utoipa::path(post, path = "/api/notifications/{id}/read", params(("id" = String, Path)),
    responses(
    (status = 200, body = NotificationBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn read(
    State(api): State<ApiState>,
    caller: Caller,
    PathParams(id): PathParams<String>,
) -> HttpResult<JsonBody<NotificationBody>> {
    let notification = api.system.mark_read(&require_user(&caller)?, &id).await?.value;
    Ok(JsonBody(notification.into()))
}

/// Dismisses a notification. Repeating it changes nothing.
#[utoipa::path(post, path = "/api/notifications/{id}/dismiss", params(("id" = String, Path)),
    responses(
    (status = 200, body = NotificationBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn dismiss(
    State(api): State<ApiState>,
    caller: Caller,
    PathParams(id): PathParams<String>,
) -> HttpResult<JsonBody<NotificationBody>> {
    let notification = api.system.dismiss(&require_user(&caller)?, &id).await?.value;
    Ok(JsonBody(notification.into()))
}

/// Takes a dismissal back. Repeating it changes nothing.
#[utoipa::path(post, path = "/api/notifications/{id}/restore", params(("id" = String, Path)),
    responses(
    (status = 200, body = NotificationBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn restore(
    State(api): State<ApiState>,
    caller: Caller,
    PathParams(id): PathParams<String>,
) -> HttpResult<JsonBody<NotificationBody>> {
    let notification = api.system.restore(&require_user(&caller)?, &id).await?.value;
    Ok(JsonBody(notification.into()))
}

/// Which notifications to mark.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ReadAllQuery {
    /// Only this category.
    category: Option<String>,
}

/// Marks everything in the caller's list as read, or one category of it.
#[utoipa::path(post, path = "/api/notifications/read-all", params(ReadAllQuery), responses(
    (status = 200, body = MarkedBody),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn read_all(
    State(api): State<ApiState>,
    caller: Caller,
    QueryParams(query): QueryParams<ReadAllQuery>,
) -> HttpResult<JsonBody<MarkedBody>> {
    let category = category(query.category.as_deref())?;
    let marked = api.system.mark_all_read(&require_user(&caller)?, category).await?.value;
    Ok(JsonBody(MarkedBody { marked }))
}
