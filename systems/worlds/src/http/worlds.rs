//! The routes of worlds and their trees.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use client::EntityTag;
use serde::Deserialize;
use service::http::{
    HttpResult, IfMatch, IfNoneMatch, JsonBody, PageQuery, PathParams, ProblemDocument,
    QueryParams, not_modified,
};

use super::bodies::{EntityBody, HierarchyBody, OperationBody, bodies_of, body_of};
use super::reply::{DataEnvelope, WorldReply};
use super::request::WorldRequest;
use super::router::{PAGE, PAGE_ROWS, WorldsApi};
use crate::action::{WorldChange, WorldDraft};

/// The caller's worlds, by name.
#[utoipa::path(get, path = "/api/v1/worlds", params(PageQuery), responses(
    (status = 200, body = DataEnvelope<Vec<EntityBody>>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    State(api): State<WorldsApi>,
    request: WorldRequest,
    QueryParams(page): QueryParams<PageQuery>,
) -> HttpResult<WorldReply<Vec<EntityBody>>> {
    let scope = ["worlds", request.user.as_str()];
    let options = page.options(PAGE, api.server.cursors(), &scope)?;
    let limit = options.rows_max.unwrap_or(PAGE_ROWS);
    let found = api.system.worlds_of(&request.user, limit, options.continuation).await?;
    let next = found.value.continuation.map(|next| api.server.cursors().seal(&scope, &next));
    let value = service::charge::ChargedValue::new(bodies_of(found.value.worlds), found.charge);
    Ok(request.reply(value).page(limit, next))
}

/// Creates a world of the caller.
#[utoipa::path(post, path = "/api/v1/worlds", request_body = WorldDraft, responses(
    (status = 201, body = DataEnvelope<EntityBody>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn create(
    State(api): State<WorldsApi>,
    request: WorldRequest,
    JsonBody(draft): JsonBody<WorldDraft>,
) -> HttpResult<WorldReply<EntityBody>> {
    let written = api.system.create_world(&request.user, draft).await?;
    let etag = written.value.etag.clone();
    let value = service::charge::ChargedValue::new(written.value.entity.into(), written.charge);
    Ok(request.reply(value).etag(etag).status(StatusCode::CREATED))
}

/// A world.
#[utoipa::path(get, path = "/api/v1/worlds/{world}", params(("world" = String, Path)), responses(
    (status = 200, body = DataEnvelope<EntityBody>),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn read(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams(world): PathParams<String>,
) -> HttpResult<WorldReply<EntityBody>> {
    let access = request.access(&api, &world).await?;
    let found = api.system.entity(&access, &access.world().root()).await?;
    let (entity, etag) = found.value;
    let value = service::charge::ChargedValue::new(entity.into(), found.charge);
    Ok(request.reply(value).etag(etag))
}

/// Changes a world: absent fields stay as they are.
#[utoipa::path(put, path = "/api/v1/worlds/{world}", params(("world" = String, Path)),
    request_body = WorldChange, responses(
    (status = 200, body = DataEnvelope<EntityBody>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 412, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn replace(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams(world): PathParams<String>,
    if_match: Option<IfMatch>,
    JsonBody(change): JsonBody<WorldChange>,
) -> HttpResult<WorldReply<EntityBody>> {
    let access = request.access(&api, &world).await?;
    let etag = if_match.as_ref().and_then(IfMatch::etag);
    let written = api.system.update_world(&access, change, etag).await?;
    let etag = written.value.etag.clone();
    let value = service::charge::ChargedValue::new(written.value.entity.into(), written.charge);
    Ok(request.reply(value).etag(etag))
}

/// Deletes a world and everything in it, in the background. It can be restored.
#[utoipa::path(delete, path = "/api/v1/worlds/{world}", params(("world" = String, Path)), responses(
    (status = 202, body = DataEnvelope<OperationBody>),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 412, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 429, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn delete(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams(world): PathParams<String>,
    if_match: Option<IfMatch>,
) -> HttpResult<WorldReply<OperationBody>> {
    let access = request.access(&api, &world).await?;
    let etag = if_match.as_ref().and_then(IfMatch::etag);
    let operation = api.system.delete_world(&access, etag).await?;
    Ok(request.reply(body_of(operation)).status(StatusCode::ACCEPTED))
}

/// Restores a world and everything that was deleted with it.
#[utoipa::path(post, path = "/api/v1/worlds/{world}/restore",
    params(("world" = String, Path)), responses(
    (status = 202, body = DataEnvelope<OperationBody>),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn restore(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams(world): PathParams<String>,
) -> HttpResult<WorldReply<OperationBody>> {
    let access = request.access_trash(&api, &world).await?;
    let operation = api.system.restore_world(&access).await?;
    Ok(request.reply(body_of(operation)).status(StatusCode::ACCEPTED))
}

/// How to show a tree.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct HierarchyQuery {
    /// Also what is in the trash.
    #[serde(default)]
    include_deleted: bool,
}

/// The tree of a world. Its etag is the version.
#[utoipa::path(get, path = "/api/v1/worlds/{world}/hierarchy",
    params(("world" = String, Path), HierarchyQuery), responses(
    (status = 200, body = DataEnvelope<HierarchyBody>),
    (status = 304),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn hierarchy(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams(world): PathParams<String>,
    QueryParams(query): QueryParams<HierarchyQuery>,
    known: IfNoneMatch,
) -> HttpResult<Response> {
    let access = request.access(&api, &world).await?;
    let tree = api.system.hierarchy(&access, query.include_deleted).await?;
    let kind = if query.include_deleted { "d" } else { "" };
    let etag = EntityTag::from_text(format!("\"{}{kind}\"", tree.value.version));
    if known.has(&etag) {
        return Ok(not_modified(&etag));
    }
    let value = body_of::<_, HierarchyBody>(tree);
    Ok(request.reply(value).etag(Some(etag)).into_response())
}
