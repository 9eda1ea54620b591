//! The routes of the trash.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use service::charge::ChargedValue;
use service::http::{HttpResult, JsonBody, PageQuery, PathParams, ProblemDocument, QueryParams};

use super::bodies::{EntityBody, OperationBody, bodies_of, body_of};
use super::reply::{DataEnvelope, WorldReply};
use super::request::{WorldRequest, parse_entity};
use super::router::{PAGE, PAGE_ROWS, WorldsApi};
use crate::action::RestoreOptions;

/// A page of the trash: first what was deleted recently, then what is kept for longer; each part newest first.
#[utoipa::path(get, path = "/api/v1/worlds/{world}/deleted",
    params(("world" = String, Path), PageQuery), responses(
    (status = 200, body = DataEnvelope<Vec<EntityBody>>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams(world): PathParams<String>,
    QueryParams(page): QueryParams<PageQuery>,
) -> HttpResult<WorldReply<Vec<EntityBody>>> {
    let access = request.access_trash(&api, &world).await?;
    let scope = ["deleted", access.world().as_str(), access.user().as_str()];
    let options = page.options(PAGE, api.server.cursors(), &scope)?;
    let limit = options.rows_max.unwrap_or(PAGE_ROWS);
    let found = api.system.trash(&access, limit, options.continuation.as_deref()).await?;
    let next = found.value.continuation.map(|next| api.server.cursors().seal(&scope, &next));
    let value = ChargedValue::new(bodies_of(found.value.entities), found.charge);
    Ok(request.reply(value).page(limit, next))
}

/// Restores an entity; with its descendants, everything that was deleted by the same cascade.
#[utoipa::path(post, path = "/api/v1/worlds/{world}/deleted/{entity}/restore",
    params(("world" = String, Path), ("entity" = String, Path)),
    request_body = RestoreOptions, responses(
    (status = 200, body = DataEnvelope<EntityBody>),
    (status = 202, body = DataEnvelope<OperationBody>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 429, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn restore(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams((world, entity)): PathParams<(String, String)>,
    JsonBody(options): JsonBody<RestoreOptions>,
) -> HttpResult<Response> {
    let access = request.access(&api, &world).await?;
    let entity = parse_entity(&entity)?;
    if options.with_descendants {
        let operation = api.system.restore_cascade(&access, &entity, options.parents).await?;
        let value = body_of::<_, OperationBody>(operation);
        return Ok(request.reply(value).status(StatusCode::ACCEPTED).into_response());
    }
    let restored = api.system.restore_entity(&access, &entity, options.parents).await?;
    let (etag, warnings) = (restored.value.etag.clone(), restored.value.warnings);
    let value = ChargedValue::new(EntityBody::from(restored.value.entity), restored.charge);
    Ok(request.reply(value).etag(etag).warnings(warnings).into_response())
}

/// Deletes an entity of the trash for good.
#[utoipa::path(delete, path = "/api/v1/worlds/{world}/deleted/{entity}",
    params(("world" = String, Path), ("entity" = String, Path)), responses(
    (status = 204),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn purge(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams((world, entity)): PathParams<(String, String)>,
) -> HttpResult<StatusCode> {
    let access = request.access(&api, &world).await?;
    api.system.purge_entity(&access, &parse_entity(&entity)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
