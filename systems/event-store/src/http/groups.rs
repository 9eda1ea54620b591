//! Consumer groups: receive events, commit what was received.
//!
//! The service keeps nothing between both calls: a receipt is signed, of one tenant and one group, and whoever commits
//! second gets a conflict.

use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use service::http::{HttpResult, JsonBody, PathParams, Problem, ProblemDocument, QueryParams};
use service::identity::Caller;

use super::router::EventStoreApi;
use crate::domain::DomainEvent;
use crate::service_id::ServiceId;
use crate::store::{ConsumerGroup, GroupReceipt, GroupSummary, StoreScope};

/// Events of one call; a receipt names them, and is at most 16 KB long.
const PAGE_EVENTS: usize = 100;

/// How long to wait for events.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReceiveParams {
    /// Seconds to wait for the first event; 0 if absent.
    wait_seconds: Option<u64>,
}

/// The groups of the tenant.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct GroupsBody {
    items: Vec<GroupSummary>,
}

/// Events that the group has not committed.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct ReceivedBody {
    items: Vec<DomainEvent>,
    /// Commits these events; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<String>,
}

/// What to commit.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(super) struct CommitBody {
    receipt: String,
}

/// The groups of the tenant.
#[utoipa::path(get, path = "/api/v1/groups", responses(
    (status = 200, body = GroupsBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    State(api): State<EventStoreApi>,
    caller: Caller,
) -> HttpResult<JsonBody<GroupsBody>> {
    let (scope, _) = api.scope(&caller)?;
    Ok(JsonBody(GroupsBody { items: ConsumerGroup::list(&scope.states).await? }))
}

/// The next events of a group, at most 100. Without a commit the next call returns them again.
#[utoipa::path(post, path = "/api/v1/groups/{name}/receive",
    params(("name" = String, Path), ReceiveParams), responses(
    (status = 200, body = ReceivedBody),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn receive(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams(name): PathParams<String>,
    QueryParams(params): QueryParams<ReceiveParams>,
) -> HttpResult<JsonBody<ReceivedBody>> {
    let (scope, service) = api.scope(&caller)?;
    let most = api.system.settings().wait_seconds;
    let seconds = params.wait_seconds.unwrap_or_default();
    if seconds > most {
        let message = format!("whole seconds, at most {most}");
        return Err(Problem::invalid_field("waitSeconds", "out_of_range", message));
    }
    let mut group = open(&scope, &name).await?.with_page_events(PAGE_EVENTS);
    let items = group.receive(Duration::from_secs(seconds)).await?;
    let receipt = match items.is_empty() {
        true => None,
        false => Some(api.seal_receipt(&service, &name, &group.receipt())?),
    };
    Ok(JsonBody(ReceivedBody { items, receipt }))
}

/// Everything up to a receipt is done: the group goes on behind it.
#[utoipa::path(post, path = "/api/v1/groups/{name}/commit", params(("name" = String, Path)),
    request_body = CommitBody, responses(
    (status = 204),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn commit(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams(name): PathParams<String>,
    JsonBody(body): JsonBody<CommitBody>,
) -> HttpResult<StatusCode> {
    let (scope, service) = api.scope(&caller)?;
    let receipt = api.open_receipt(&service, &name, &body.receipt)?;
    open(&scope, &name).await?.commit_receipt(&receipt).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Forgets the position of a group: it begins with the first event again.
#[utoipa::path(delete, path = "/api/v1/groups/{name}", params(("name" = String, Path)), responses(
    (status = 204),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn delete(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams(name): PathParams<String>,
) -> HttpResult<StatusCode> {
    let (scope, _) = api.scope(&caller)?;
    if !ConsumerGroup::delete(&name, &scope.states).await? {
        return Err(Problem::not_found(format!("The group '{name}' has committed nothing.")));
    }
    Ok(StatusCode::NO_CONTENT)
}

async fn open(scope: &StoreScope, name: &str) -> HttpResult<ConsumerGroup> {
    Ok(ConsumerGroup::open(name, &scope.events, &scope.states).await?)
}

impl EventStoreApi {
    fn seal_receipt(
        &self,
        service: &ServiceId,
        name: &str,
        receipt: &GroupReceipt,
    ) -> HttpResult<String> {
        let text = serde_json::to_string(receipt).map_err(Problem::internal)?;
        Ok(self.seal(&format!("group {name}"), service, &text))
    }

    fn open_receipt(
        &self,
        service: &ServiceId,
        name: &str,
        text: &str,
    ) -> HttpResult<GroupReceipt> {
        let text = self.open(&format!("group {name}"), service, text)?;
        serde_json::from_str(&text).map_err(Problem::internal)
    }
}
