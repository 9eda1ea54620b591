//! Projections of the tenant: status, rebuilding, queries that wait for a position.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use service::http::{HttpResult, JsonBody, PathParams, Problem, ProblemDocument, QueryParams};
use service::identity::Caller;

use super::router::EventStoreApi;
use crate::domain::SortableUniqueId;
use crate::projection::ProjectionStatus;
use crate::service_id::ServiceId;

/// The projections of the tenant.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct ProjectionsBody {
    pub(super) items: Vec<ProjectionStatus>,
}

/// How far the projections are.
#[utoipa::path(get, path = "/api/v1/projections", responses(
    (status = 200, body = ProjectionsBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    State(api): State<EventStoreApi>,
    caller: Caller,
) -> HttpResult<JsonBody<ProjectionsBody>> {
    let (_, service) = api.scope(&caller)?;
    let items = api.system.projections().statuses(&service).await?;
    Ok(JsonBody(ProjectionsBody { items }))
}

/// How far a projection is.
#[utoipa::path(get, path = "/api/v1/projections/{name}",
    params(("name" = String, Path)), responses(
    (status = 200, body = ProjectionStatus),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn one(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams(name): PathParams<String>,
) -> HttpResult<JsonBody<ProjectionStatus>> {
    let (_, service) = api.scope(&caller)?;
    Ok(JsonBody(api.system.projections().status(&service, &name).await?))
}

/// Begins a projection anew, in the background.
#[utoipa::path(post, path = "/api/v1/projections/{name}/rebuild",
    params(("name" = String, Path)), responses(
    (status = 202),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn rebuild(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams(name): PathParams<String>,
) -> HttpResult<StatusCode> {
    let (_, service) = api.scope(&caller)?;
    api.system.projections().rebuild(&service, &name).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Answers a query. `waitFor` is the sortable id that the projection has to reach before, `waitSeconds` the longest
/// wait; all other parameters go to the query.
#[utoipa::path(get, path = "/api/v1/projections/{name}/query/{query}",
    params(("name" = String, Path), ("query" = String, Path), ("waitFor" = Option<String>, Query),
        ("waitSeconds" = Option<u64>, Query)), responses(
    (status = 200, body = Value),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 408, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn query(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams((name, query)): PathParams<(String, String)>,
    QueryParams(mut parameters): QueryParams<BTreeMap<String, String>>,
) -> HttpResult<JsonBody<Value>> {
    let (_, service) = api.scope(&caller)?;
    let wait_for = parameters.remove("waitFor");
    let seconds = parameters.remove("waitSeconds");
    api.ask(&service, (&name, &query), &parameters, (wait_for.as_deref(), seconds.as_deref())).await
}

impl EventStoreApi {
    /// Asks a projection, after it has reached a position.
    pub(super) async fn ask(
        &self,
        service: &ServiceId,
        (name, query): (&str, &str),
        parameters: &BTreeMap<String, String>,
        (wait_for, wait_seconds): (Option<&str>, Option<&str>),
    ) -> HttpResult<JsonBody<Value>> {
        let position = wait_for.map(SortableUniqueId::parse).transpose();
        let position = position.map_err(|why| Problem::invalid_field("waitFor", "invalid", why))?;
        let most = self.system.settings().wait_seconds;
        let seconds = match wait_seconds.map(str::parse::<u64>) {
            None => most,
            Some(Ok(seconds)) if seconds <= most => seconds,
            Some(_) => {
                let message = format!("whole seconds, at most {most}");
                return Err(Problem::invalid_field("waitSeconds", "out_of_range", message));
            }
        };
        let wait = position.as_ref().map(|position| (position, Duration::from_secs(seconds)));
        let projections = self.system.projections();
        Ok(JsonBody(projections.query(service, name, query, parameters, wait).await?))
    }
}
