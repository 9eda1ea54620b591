//! The routes for operators: events by status, retries, statistics.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use service::http::{HttpResult, JsonBody, PathParams, Problem, ProblemDocument, QueryParams};
use service::identity::Caller;

use crate::domain::{EventStatus, NotificationEvent};
use crate::question::QueueStats;

use super::router::{ADMIN_ROLE, ApiState};

/// Which events to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct EventsQuery {
    /// A status, or `DEAD` for failed events without attempts left.
    status: Option<String>,
    /// The token of the previous page.
    continuation_token: Option<String>,
}

/// A page of events.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventsBody {
    events: Vec<NotificationEvent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    continuation_token: Option<String>,
    /// Ids of events of this page that cannot be parsed; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<String>,
}

/// Events of a status, oldest first.
#[utoipa::path(get, path = "/admin/events", params(EventsQuery), responses(
    (status = 200, body = EventsBody),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn events(
    State(api): State<ApiState>,
    caller: Caller,
    QueryParams(query): QueryParams<EventsQuery>,
) -> HttpResult<JsonBody<EventsBody>> {
    caller.require_role(ADMIN_ROLE)?;
    let name = query.status.as_deref().unwrap_or("PENDING");
    // A token of one status is meaningless in the list of another; the seal refuses it instead of returning odd pages.
    let scope = ["events", name];
    let continuation = match &query.continuation_token {
        Some(cursor) => Some(api.server.cursors().open(&scope, cursor)?),
        None => None,
    };
    let page = match (name, EventStatus::from_name(name)) {
        ("DEAD", _) => api.system.dead_events(continuation).await?.value,
        (_, Some(status)) => api.system.events(status, continuation).await?.value,
        (_, None) => {
            let known = EventStatus::ALL.map(EventStatus::name).join(", ");
            let message = format!("'{name}' is not a status; known are {known}, DEAD");
            return Err(Problem::invalid_field("status", "unknown", message));
        }
    };
    let seal = |continuation: String| api.server.cursors().seal(&scope, &continuation);
    let continuation_token = page.continuation.map(seal);
    let (events, unreadable) = (page.events, page.unreadable);
    Ok(JsonBody(EventsBody { events, continuation_token, unreadable }))
}

/// Gives a failed event all its attempts again.
#[utoipa::path(post, path = "/admin/events/{id}/retry", params(("id" = String, Path)), responses(
    (status = 200, body = NotificationEvent),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn retry(
    State(api): State<ApiState>,
    caller: Caller,
    PathParams(id): PathParams<String>,
) -> HttpResult<JsonBody<NotificationEvent>> {
    caller.require_role(ADMIN_ROLE)?;
    let event = api.system.find_event(&id).await?.value;
    Ok(JsonBody(api.system.retry_event(&event.user_id, &event.id).await?.value))
}

/// Numbers of events by status.
#[utoipa::path(get, path = "/admin/stats", responses(
    (status = 200, body = QueueStats),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn stats(
    State(api): State<ApiState>,
    caller: Caller,
) -> HttpResult<JsonBody<QueueStats>> {
    caller.require_role(ADMIN_ROLE)?;
    Ok(JsonBody(api.system.stats().await?.value))
}
