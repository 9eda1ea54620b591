//! The routes of workloads.

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use service::http::{
    EtagHeader, HttpResult, IfMatch, JsonBody, PathParams, Problem, ProblemDocument, QueryParams,
};
use service::identity::Caller;

use crate::action::{RollbackOptions, WorkloadChange};
use crate::domain::{MigrationStatus, NamespaceName, SecretBackend, TrackedWorkload};
use crate::question::WorkloadFilter;

use super::router::{
    OPERATOR_ROLE, TRACKER_ADMIN_ROLE, TrackerApi, VIEWER_ROLE, cluster_name, require, workload_key,
};

/// Which workloads.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WorkloadsQuery {
    /// Of this status, in any case.
    status: Option<String>,
    /// Of this namespace.
    namespace: Option<String>,
    /// On this backend.
    backend: Option<String>,
    /// Per page, 1 to 1000.
    limit: Option<usize>,
    /// After this page.
    cursor: Option<String>,
}

/// A page of workloads.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct WorkloadsBody {
    workloads: Vec<TrackedWorkload>,
    /// Asks for the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

/// Why a workload is switched back.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct RollbackBody {
    /// Why.
    reason: Option<String>,
    /// Without asking whether the source still exists; needs the role `admin`.
    force: bool,
}

/// A workload that was switched back.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RolledBackBody {
    workload: TrackedWorkload,
    /// Paths on the new platform that were changed there since the copy.
    changed_on_target: Vec<String>,
}

type NamesOfWorkload = (String, String, String);

/// A page of the workloads of a cluster.
#[utoipa::path(get, path = "/v1/clusters/{cluster}/workloads",
    params(("cluster" = String, Path), WorkloadsQuery), responses(
    (status = 200, body = WorkloadsBody),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(cluster): PathParams<String>,
    QueryParams(query): QueryParams<WorkloadsQuery>,
) -> HttpResult<JsonBody<WorkloadsBody>> {
    require(&caller, VIEWER_ROLE)?;
    let cluster = cluster_name(&cluster)?;
    let invalid = |field: &'static str| move |why| Problem::invalid_field(field, "unknown", why);
    let status = query.status.as_deref().map(MigrationStatus::parse).transpose();
    let backend = query.backend.as_deref().map(SecretBackend::parse).transpose();
    let namespace = query.namespace.clone().map(NamespaceName::parse).transpose();
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    // The cursor is bound to this list and its filters.
    let (status_text, backend_text) = (text(&query.status), text(&query.backend));
    let scope =
        ["workloads", cluster.as_str(), &status_text, &text(&query.namespace), &backend_text];
    let continuation = match &query.cursor {
        Some(cursor) => Some(api.server.cursors().open(&scope, cursor)?),
        None => None,
    };
    let filter = WorkloadFilter {
        status: status.map_err(invalid("status"))?,
        namespace: namespace.map_err(invalid("namespace"))?,
        backend: backend.map_err(invalid("backend"))?,
        limit: query.limit,
        continuation,
    };
    let page = api.system.workloads(&cluster, &filter).await?;
    let cursor = page.continuation.map(|next| api.server.cursors().seal(&scope, &next));
    Ok(JsonBody(WorkloadsBody { workloads: page.rows, cursor }))
}

/// A workload, with its etag.
#[utoipa::path(get, path = "/v1/clusters/{cluster}/workloads/{namespace}/{name}",
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path)),
    responses(
    (status = 200, body = TrackedWorkload),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn read(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(names): PathParams<NamesOfWorkload>,
) -> HttpResult<(EtagHeader, JsonBody<TrackedWorkload>)> {
    require(&caller, VIEWER_ROLE)?;
    let (workload, etag) = api.system.workload(&workload_key(&names)?).await?;
    Ok((EtagHeader::new(etag.as_ref()), JsonBody(workload)))
}

/// Changes labels, wave, owner or pause of a workload.
#[utoipa::path(patch, path = "/v1/clusters/{cluster}/workloads/{namespace}/{name}",
    request_body = WorkloadChange,
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path)),
    responses(
    (status = 200, body = TrackedWorkload),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 412, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn change(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(names): PathParams<NamesOfWorkload>,
    if_match: Option<IfMatch>,
    JsonBody(change): JsonBody<WorkloadChange>,
) -> HttpResult<(EtagHeader, JsonBody<TrackedWorkload>)> {
    require(&caller, OPERATOR_ROLE)?;
    let etag = if_match.as_ref().and_then(IfMatch::etag);
    let key = workload_key(&names)?;
    let done = api.system.change_workload(&key, change, etag, caller.subject()).await?;
    Ok((EtagHeader::new(done.1.as_ref()), JsonBody(done.0)))
}

/// Asks for the migration of a pending workload.
#[utoipa::path(post, path = "/v1/clusters/{cluster}/workloads/{namespace}/{name}/migrate",
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path)),
    responses(
    (status = 202, body = TrackedWorkload),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 412, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 424, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn migrate(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(names): PathParams<NamesOfWorkload>,
    if_match: Option<IfMatch>,
) -> HttpResult<(StatusCode, JsonBody<TrackedWorkload>)> {
    require(&caller, OPERATOR_ROLE)?;
    let etag = if_match.as_ref().and_then(IfMatch::etag);
    let key = workload_key(&names)?;
    let asked = api.system.request_migration(&key, etag, caller.subject()).await?;
    Ok((StatusCode::ACCEPTED, JsonBody(asked)))
}

/// Switches a workload back to Vault at once.
#[utoipa::path(post, path = "/v1/clusters/{cluster}/workloads/{namespace}/{name}/rollback",
    request_body = RollbackBody,
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path)),
    responses(
    (status = 202, body = RolledBackBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 412, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn roll_back(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(names): PathParams<NamesOfWorkload>,
    if_match: Option<IfMatch>,
    JsonBody(body): JsonBody<RollbackBody>,
) -> HttpResult<(StatusCode, JsonBody<RolledBackBody>)> {
    require(&caller, if body.force { TRACKER_ADMIN_ROLE } else { OPERATOR_ROLE })?;
    let options = RollbackOptions {
        reason: body.reason,
        if_match: if_match.as_ref().and_then(IfMatch::etag).cloned(),
        force: body.force,
    };
    let done = api.system.roll_back(&workload_key(&names)?, &options, caller.subject()).await?;
    let body =
        RolledBackBody { workload: done.workload, changed_on_target: done.changed_on_target };
    Ok((StatusCode::ACCEPTED, JsonBody(body)))
}

/// Tries a rolled-back or pending workload again, held or not.
#[utoipa::path(post, path = "/v1/clusters/{cluster}/workloads/{namespace}/{name}/retry",
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path)),
    responses(
    (status = 202, body = TrackedWorkload),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 412, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn retry(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(names): PathParams<NamesOfWorkload>,
    if_match: Option<IfMatch>,
) -> HttpResult<(StatusCode, JsonBody<TrackedWorkload>)> {
    require(&caller, OPERATOR_ROLE)?;
    let etag = if_match.as_ref().and_then(IfMatch::etag);
    let done = api.system.retry_migration(&workload_key(&names)?, etag, caller.subject()).await?;
    Ok((StatusCode::ACCEPTED, JsonBody(done)))
}
