//! The routes of clusters: counts, plan, check, drift, audit, mappings, rollback of many.

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use service::http::{HttpResult, JsonBody, PathParams, Problem, ProblemDocument, QueryParams};
use service::identity::Caller;

use crate::action::{RollbackReport, RollbackScope};
use crate::domain::{AuditEntry, MappingInput, NamespaceMapping, NamespaceName, UtcTimestamp};
use crate::question::{CheckFinding, ClusterSummary, MigrationPlan, TargetReport};
use crate::reaction::DriftReport;
use crate::scan::ScanReport;

use super::router::{
    OPERATOR_ROLE, TRACKER_ADMIN_ROLE, TrackerApi, VIEWER_ROLE, cluster_name, require,
};

/// The known clusters.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct ClustersBody {
    #[schema(value_type = Vec<String>)]
    clusters: Vec<crate::domain::ClusterName>,
}

/// Which cluster.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ClusterBody {
    cluster: String,
    /// Copy again what has changed.
    #[serde(default)]
    resync: bool,
}

/// Which workloads to switch back, and why.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct BulkRollbackBody {
    /// Only those of this namespace.
    namespace: Option<String>,
    /// Why.
    reason: String,
}

/// Which part of the audit.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AuditQuery {
    /// The cluster.
    cluster: String,
    /// `namespace/workload`.
    workload: Option<String>,
    /// From this time on.
    since: Option<String>,
}

/// The clusters that were scanned or synchronised.
#[utoipa::path(get, path = "/v1/clusters", responses(
    (status = 200, body = ClustersBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn clusters(
    State(api): State<TrackerApi>,
    caller: Caller,
) -> HttpResult<JsonBody<ClustersBody>> {
    require(&caller, VIEWER_ROLE)?;
    Ok(JsonBody(ClustersBody { clusters: api.system.clusters().await? }))
}

/// Counts of a cluster.
#[utoipa::path(get, path = "/v1/clusters/{cluster}/summary",
    params(("cluster" = String, Path)), responses(
    (status = 200, body = ClusterSummary),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn summary(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(cluster): PathParams<String>,
) -> HttpResult<JsonBody<ClusterSummary>> {
    require(&caller, VIEWER_ROLE)?;
    Ok(JsonBody(api.system.summary(&cluster_name(&cluster)?).await?))
}

/// What a run would do. Nothing is changed.
#[utoipa::path(post, path = "/v1/plan", request_body = ClusterBody, responses(
    (status = 200, body = MigrationPlan),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn plan(
    State(api): State<TrackerApi>,
    caller: Caller,
    JsonBody(body): JsonBody<ClusterBody>,
) -> HttpResult<JsonBody<MigrationPlan>> {
    require(&caller, VIEWER_ROLE)?;
    Ok(JsonBody(api.system.plan(&cluster_name(&body.cluster)?).await?))
}

/// Walks the store for what must not be there.
#[utoipa::path(get, path = "/v1/clusters/{cluster}/check",
    params(("cluster" = String, Path)), responses(
    (status = 200, body = Vec<CheckFinding>),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn check(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(cluster): PathParams<String>,
) -> HttpResult<JsonBody<Vec<CheckFinding>>> {
    require(&caller, VIEWER_ROLE)?;
    Ok(JsonBody(api.system.check(&cluster_name(&cluster)?).await?))
}

/// Compares migrated workloads with their source, and copies again what changed if asked to.
#[utoipa::path(post, path = "/v1/drift", request_body = ClusterBody, responses(
    (status = 200, body = DriftReport),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn drift(
    State(api): State<TrackerApi>,
    caller: Caller,
    JsonBody(body): JsonBody<ClusterBody>,
) -> HttpResult<JsonBody<DriftReport>> {
    require(&caller, OPERATOR_ROLE)?;
    let cluster = cluster_name(&body.cluster)?;
    Ok(JsonBody(api.system.check_drift(&cluster, body.resync, caller.subject()).await?))
}

/// Compares what is on the target with the fingerprints of the copies.
#[utoipa::path(post, path = "/v1/verify", request_body = ClusterBody, responses(
    (status = 200, body = TargetReport),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn verify(
    State(api): State<TrackerApi>,
    caller: Caller,
    JsonBody(body): JsonBody<ClusterBody>,
) -> HttpResult<JsonBody<TargetReport>> {
    require(&caller, OPERATOR_ROLE)?;
    Ok(JsonBody(api.system.verify(&cluster_name(&body.cluster)?).await?))
}

/// Scans the manifests of a cluster in the configured folder.
#[utoipa::path(post, path = "/v1/scan", request_body = ClusterBody, responses(
    (status = 202, body = ScanReport),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn scan(
    State(api): State<TrackerApi>,
    caller: Caller,
    JsonBody(body): JsonBody<ClusterBody>,
) -> HttpResult<(StatusCode, JsonBody<ScanReport>)> {
    require(&caller, OPERATOR_ROLE)?;
    let cluster = cluster_name(&body.cluster)?;
    let report = api.system.scan_configured(&cluster, caller.subject()).await?;
    Ok((StatusCode::ACCEPTED, JsonBody(report)))
}

/// Who did what, oldest first.
#[utoipa::path(get, path = "/v1/audit", params(AuditQuery), responses(
    (status = 200, body = Vec<AuditEntry>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn audit(
    State(api): State<TrackerApi>,
    caller: Caller,
    QueryParams(query): QueryParams<AuditQuery>,
) -> HttpResult<JsonBody<Vec<AuditEntry>>> {
    require(&caller, VIEWER_ROLE)?;
    let since = query.since.as_deref().map(UtcTimestamp::parse).transpose();
    let since = since.map_err(|why| Problem::invalid_field("since", "invalid", why))?;
    let cluster = cluster_name(&query.cluster)?;
    Ok(JsonBody(api.system.audit(&cluster, query.workload.as_deref(), since).await?))
}

fn namespace_name(text: &str) -> HttpResult<NamespaceName> {
    NamespaceName::parse(text).map_err(|why| Problem::invalid_field("namespace", "invalid", why))
}

/// The mapping of a namespace.
#[utoipa::path(get, path = "/v1/clusters/{cluster}/namespaces/{namespace}",
    params(("cluster" = String, Path), ("namespace" = String, Path)), responses(
    (status = 200, body = NamespaceMapping),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn mapping(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams((cluster, namespace)): PathParams<(String, String)>,
) -> HttpResult<JsonBody<NamespaceMapping>> {
    require(&caller, VIEWER_ROLE)?;
    let (cluster, namespace) = (cluster_name(&cluster)?, namespace_name(&namespace)?);
    Ok(JsonBody(api.system.mapping(&cluster, &namespace).await?))
}

/// The mappings of a namespace in every cluster.
#[utoipa::path(get, path = "/v1/namespaces/{namespace}",
    params(("namespace" = String, Path)), responses(
    (status = 200, body = Vec<NamespaceMapping>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn mappings_of(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(namespace): PathParams<String>,
) -> HttpResult<JsonBody<Vec<NamespaceMapping>>> {
    // It asks every partition, so it is not for everybody.
    require(&caller, TRACKER_ADMIN_ROLE)?;
    Ok(JsonBody(api.system.mappings_of(&namespace_name(&namespace)?).await?))
}

/// Writes the mapping of a namespace.
#[utoipa::path(put, path = "/v1/clusters/{cluster}/namespaces/{namespace}",
    request_body = MappingInput,
    params(("cluster" = String, Path), ("namespace" = String, Path)), responses(
    (status = 200, body = NamespaceMapping),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn put_mapping(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams((cluster, namespace)): PathParams<(String, String)>,
    JsonBody(input): JsonBody<MappingInput>,
) -> HttpResult<JsonBody<NamespaceMapping>> {
    require(&caller, TRACKER_ADMIN_ROLE)?;
    let (cluster, namespace) = (cluster_name(&cluster)?, namespace_name(&namespace)?);
    let by = caller.subject();
    Ok(JsonBody(api.system.put_mapping(&cluster, &namespace, input, by).await?))
}

/// Switches back every workload of the cluster, or of one namespace.
#[utoipa::path(post, path = "/v1/clusters/{cluster}/rollback", request_body = BulkRollbackBody,
    params(("cluster" = String, Path)), responses(
    (status = 202, body = RollbackReport),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn roll_back(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(cluster): PathParams<String>,
    JsonBody(body): JsonBody<BulkRollbackBody>,
) -> HttpResult<(StatusCode, JsonBody<RollbackReport>)> {
    require(&caller, OPERATOR_ROLE)?;
    let cluster = cluster_name(&cluster)?;
    let scope = match &body.namespace {
        Some(namespace) => RollbackScope::Namespace(namespace_name(namespace)?),
        None => RollbackScope::Cluster,
    };
    let done = api.system.roll_back_all(&cluster, &scope, &body.reason, caller.subject());
    Ok((StatusCode::ACCEPTED, JsonBody(done.await?)))
}
