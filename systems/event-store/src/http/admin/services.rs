//! Tenants: which there are, what they have, reads of any of them, repair.

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use service::http::{HttpResult, JsonBody, PathParams, ProblemDocument, QueryParams};
use service::identity::Caller;
use service::timestamp::UtcTimestamp;

use crate::domain::EventRead;
use crate::http::events::{EventsPage, QueryBody};
use crate::http::router::{EventStoreApi, require_operator};
use crate::service_id::ServiceId;
use crate::storage::{RepairReport, SaveMode};
use crate::store::ProjectionState;

/// The state by which a tenant without events is known.
const REGISTRATION: &str = "ServiceRegistration";

/// The tenants.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(in crate::http) struct ServicesBody {
    services: Vec<String>,
}

/// A tenant to register.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::http) struct ServiceBody {
    service_id: String,
}

/// What a tenant has.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::http) struct ServiceStats {
    service_id: String,
    events: u64,
    tags: u64,
    states: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_sortable_unique_id: Option<String>,
}

/// How much was deleted.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(in crate::http) struct DroppedBody {
    deleted: u64,
}

/// A read of any tenant.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::http) struct AdminQueryBody {
    service_id: String,
    #[serde(default)]
    query: QueryBody,
    since: Option<String>,
    limit: Option<usize>,
}

/// Whether anything is changed.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub(in crate::http) struct RepairParams {
    /// Only report.
    #[serde(default)]
    dry_run: bool,
}

/// The tenants that have events or states.
#[utoipa::path(get, path = "/admin/v1/services", responses(
    (status = 200, body = ServicesBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn services(
    State(api): State<EventStoreApi>,
    caller: Caller,
) -> HttpResult<JsonBody<ServicesBody>> {
    require_operator(&caller)?;
    let services = api.system.storage().admin.services().await?;
    Ok(JsonBody(ServicesBody { services: services.into_iter().map(String::from).collect() }))
}

/// Makes a tenant known before its first event.
#[utoipa::path(post, path = "/admin/v1/services", request_body = ServiceBody, responses(
    (status = 201, body = ServiceStats),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn register(
    State(api): State<EventStoreApi>,
    caller: Caller,
    JsonBody(body): JsonBody<ServiceBody>,
) -> HttpResult<(StatusCode, JsonBody<ServiceStats>)> {
    require_operator(&caller)?;
    let service = parse(&body.service_id)?;
    let scope = api.system.scope_of(&service);
    let now = UtcTimestamp::now(scope.events.environment());
    let state = ProjectionState::new(REGISTRATION, "1", b"{}".to_vec(), now);
    scope.states.save(&state, SaveMode::IfRevision(0)).await?;
    Ok((StatusCode::CREATED, JsonBody(api.stats(&service).await?)))
}

/// Deletes everything of a tenant.
#[utoipa::path(delete, path = "/admin/v1/services/{id}", params(("id" = String, Path)), responses(
    (status = 200, body = DroppedBody),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn drop_service(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams(id): PathParams<String>,
) -> HttpResult<JsonBody<DroppedBody>> {
    require_operator(&caller)?;
    let deleted = api.system.storage().admin.drop_service(&parse(&id)?).await?;
    Ok(JsonBody(DroppedBody { deleted }))
}

/// What a tenant has.
#[utoipa::path(get, path = "/admin/v1/services/{id}/stats",
    params(("id" = String, Path)), responses(
    (status = 200, body = ServiceStats),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn stats(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams(id): PathParams<String>,
) -> HttpResult<JsonBody<ServiceStats>> {
    require_operator(&caller)?;
    Ok(JsonBody(api.stats(&parse(&id)?).await?))
}

/// Events of any tenant.
#[utoipa::path(post, path = "/admin/v1/query", request_body = AdminQueryBody, responses(
    (status = 200, body = EventsPage),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn query(
    State(api): State<EventStoreApi>,
    caller: Caller,
    JsonBody(body): JsonBody<AdminQueryBody>,
) -> HttpResult<JsonBody<EventsPage>> {
    require_operator(&caller)?;
    let service = parse(&body.service_id)?;
    let limits = service::http::PageLimits::new(100, 1_000);
    let read = EventRead {
        query: body.query.into_query()?,
        after: api.since(&service, body.since.as_deref())?,
        events_max: Some(limits.rows(body.limit)?),
    };
    let page = api.system.scope_of(&service).events.read(&read).await?;
    Ok(JsonBody(api.page(&service, page)))
}

/// Completes what interrupted appends have left.
#[utoipa::path(post, path = "/admin/v1/repair", params(RepairParams), responses(
    (status = 200, body = RepairReport),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn repair(
    State(api): State<EventStoreApi>,
    caller: Caller,
    QueryParams(params): QueryParams<RepairParams>,
) -> HttpResult<JsonBody<RepairReport>> {
    require_operator(&caller)?;
    Ok(JsonBody(api.system.storage().admin.repair(params.dry_run).await?))
}

impl EventStoreApi {
    async fn stats(&self, service: &ServiceId) -> HttpResult<ServiceStats> {
        let scope = self.system.scope_of(service);
        let last = scope.events.latest_sortable_unique_id().await?;
        Ok(ServiceStats {
            service_id: service.to_string(),
            events: scope.events.event_count(None).await?,
            tags: scope.events.all_tags(None).await?.len() as u64,
            states: scope.states.list().await?.len() as u64,
            last_sortable_unique_id: last.map(|last| last.to_string()),
        })
    }
}

/// A tenant that an operator names. It is part of the request here, so a wrong one is a bad request.
pub(super) fn parse(text: &str) -> HttpResult<ServiceId> {
    ServiceId::parse(text).map_err(|why| {
        service::http::Problem::invalid_field("serviceId", "invalid", why.to_string())
    })
}
