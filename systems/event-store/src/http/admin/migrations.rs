//! Migrations of single-tenant containers: start, follow, stop.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use service::http::{HttpResult, JsonBody, PathParams, Problem, ProblemDocument};
use service::identity::Caller;

use crate::error::{Error, ErrorKind};
use crate::http::router::{EventStoreApi, require_operator};
use crate::migrations::{MigrationJobs, MigrationRequest, TenantMigrationStatus};

/// The migrations of this process, the newest first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(in crate::http) struct MigrationsBody {
    items: Vec<TenantMigrationStatus>,
}

/// The migrations of this process.
#[utoipa::path(get, path = "/admin/v1/migrations", responses(
    (status = 200, body = MigrationsBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 501, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn migrations(
    State(api): State<EventStoreApi>,
    caller: Caller,
) -> HttpResult<JsonBody<MigrationsBody>> {
    require_operator(&caller)?;
    Ok(JsonBody(MigrationsBody { items: jobs(&api)?.list() }))
}

/// Starts a copy, a comparison or a dry run, in the background.
#[utoipa::path(post, path = "/admin/v1/migrations", request_body = MigrationRequest, responses(
    (status = 202, body = TenantMigrationStatus),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 501, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn start_migration(
    State(api): State<EventStoreApi>,
    caller: Caller,
    JsonBody(request): JsonBody<MigrationRequest>,
) -> HttpResult<(StatusCode, JsonBody<TenantMigrationStatus>)> {
    require_operator(&caller)?;
    if let Some(text) = &request.to_service {
        super::services::parse(text)?;
    }
    let status = jobs(&api)?.start(request)?;
    Ok((StatusCode::ACCEPTED, JsonBody(status)))
}

/// How far a migration is.
#[utoipa::path(get, path = "/admin/v1/migrations/{id}", params(("id" = u64, Path)), responses(
    (status = 200, body = TenantMigrationStatus),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 501, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn migration(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams(id): PathParams<u64>,
) -> HttpResult<JsonBody<TenantMigrationStatus>> {
    require_operator(&caller)?;
    jobs(&api)?.status(id).map(JsonBody).ok_or_else(|| missing(id))
}

/// Stops a copy that follows the old program.
#[utoipa::path(post, path = "/admin/v1/migrations/{id}/stop",
    params(("id" = u64, Path)), responses(
    (status = 202),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 501, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn stop_migration(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams(id): PathParams<u64>,
) -> HttpResult<StatusCode> {
    require_operator(&caller)?;
    if jobs(&api)?.stop(id) { Ok(StatusCode::ACCEPTED) } else { Err(missing(id)) }
}

fn jobs(api: &EventStoreApi) -> HttpResult<&MigrationJobs> {
    let message = "containers are migrated on an account; tables of PostgreSQL by the command \
                   `event-store migrate tables`";
    let jobs = api.system.migrations();
    Ok(jobs.ok_or_else(|| Error::new(ErrorKind::Unsupported, message))?)
}

fn missing(id: u64) -> Problem {
    Problem::not_found(format!("There is no migration {id}."))
}
