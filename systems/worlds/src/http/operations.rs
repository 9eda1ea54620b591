//! The routes of operations: their progress, and another attempt.

use axum::extract::State;
use service::charge::ChargedValue;
use service::http::{HttpResult, PathParams, ProblemDocument};

use super::bodies::{OperationBody, bodies_of, body_of};
use super::reply::{DataEnvelope, WorldReply};
use super::request::WorldRequest;
use super::router::WorldsApi;

/// The operations of a world, newest first; finished ones for a day.
#[utoipa::path(get, path = "/api/v1/worlds/{world}/delete-operations",
    params(("world" = String, Path)), responses(
    (status = 200, body = DataEnvelope<Vec<OperationBody>>),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams(world): PathParams<String>,
) -> HttpResult<WorldReply<Vec<OperationBody>>> {
    let access = request.access_trash(&api, &world).await?;
    let found = api.system.operations(&access).await?;
    Ok(request.reply(ChargedValue::new(bodies_of(found.value), found.charge)))
}

/// One operation.
#[utoipa::path(get, path = "/api/v1/worlds/{world}/delete-operations/{operation}",
    params(("world" = String, Path), ("operation" = String, Path)), responses(
    (status = 200, body = DataEnvelope<OperationBody>),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn read(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams((world, operation)): PathParams<(String, String)>,
) -> HttpResult<WorldReply<OperationBody>> {
    let access = request.access_trash(&api, &world).await?;
    let found = api.system.operation(&access, &operation).await?;
    Ok(request.reply(body_of(found)))
}

/// Gives an operation that failed all its attempts again.
#[utoipa::path(post, path = "/api/v1/worlds/{world}/delete-operations/{operation}/retry",
    params(("world" = String, Path), ("operation" = String, Path)), responses(
    (status = 200, body = DataEnvelope<OperationBody>),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn retry(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams((world, operation)): PathParams<(String, String)>,
) -> HttpResult<WorldReply<OperationBody>> {
    let access = request.access_trash(&api, &world).await?;
    api.system.operation(&access, &operation).await?;
    let retried = api.system.retry_operation(&access, &operation).await?;
    Ok(request.reply(body_of(retried)))
}
