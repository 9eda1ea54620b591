//! The routes of entities.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use service::charge::ChargedValue;
use service::http::{
    HttpResult, IfMatch, JsonBody, PageQuery, PathParams, Problem, ProblemDocument, QueryParams,
};

use super::bodies::{EntityBody, OperationBody, bodies_of, body_of};
use super::reply::{DataEnvelope, WorldReply};
use super::request::{WorldRequest, parse_entity};
use super::router::{PAGE, PAGE_ROWS, WorldsApi};
use crate::action::WrittenEntity;
use crate::domain::{EntityChange, EntityDraft, EntityId};
use crate::question::{ChildCount, EntityFilter, EntityOrder, EntityPage, EntitySort};

/// Which entities, and which page of them.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct EntitiesQuery {
    /// Only of this type.
    #[serde(rename = "type")]
    entity_type: Option<String>,
    /// Only with all of these tags, separated by commas.
    tags: Option<String>,
    /// Only nested directly in this entity.
    parent_id: Option<String>,
    /// The property to sort by.
    sort: Option<EntitySort>,
    /// `asc` or `desc`.
    #[serde(default)]
    order: EntityOrder,
    /// Entities per page, 1 to 200.
    limit: Option<usize>,
    /// The cursor of the previous page.
    cursor: Option<String>,
}

/// A page of the entities of a world.
#[utoipa::path(get, path = "/api/v1/worlds/{world}/entities",
    params(("world" = String, Path), EntitiesQuery), responses(
    (status = 200, body = DataEnvelope<Vec<EntityBody>>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams(world): PathParams<String>,
    QueryParams(query): QueryParams<EntitiesQuery>,
) -> HttpResult<WorldReply<Vec<EntityBody>>> {
    let access = request.access(&api, &world).await?;
    let tags = query.tags.as_deref().unwrap_or_default();
    let tags = tags.split(',').map(str::trim).filter(|tag| !tag.is_empty());
    let parent_id = query.parent_id.as_deref().map(EntityId::parse).transpose();
    let filter = EntityFilter {
        entity_type: query.entity_type.clone(),
        tags: tags.map(str::to_owned).collect(),
        parent_id: parent_id.map_err(|why| Problem::invalid_field("parentId", "invalid", why))?,
        sort: query.sort,
        order: query.order,
    };
    // A cursor of one filter is meaningless under another; the seal refuses it instead of returning odd pages.
    let filters = format!("{filter:?}");
    let scope = ["entities", access.world().as_str(), access.user().as_str(), filters.as_str()];
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let options = page.options(PAGE, api.server.cursors(), &scope)?;
    let limit = options.rows_max.unwrap_or(PAGE_ROWS);
    let found = api.system.entities(&access, &filter, limit, options.continuation).await?;
    Ok(page_reply(&api, request, found, limit, &scope))
}

/// The answer with a page of entities.
pub(super) fn page_reply(
    api: &WorldsApi,
    request: WorldRequest,
    page: ChargedValue<EntityPage>,
    limit: usize,
    scope: &[&str],
) -> WorldReply<Vec<EntityBody>> {
    let EntityPage { entities, continuation } = page.value;
    let next = continuation.map(|next| api.server.cursors().seal(scope, &next));
    request.reply(ChargedValue::new(bodies_of(entities), page.charge)).page(limit, next)
}

/// The answer with an entity after a write.
fn written_reply(
    request: WorldRequest,
    written: ChargedValue<WrittenEntity>,
) -> WorldReply<EntityBody> {
    let WrittenEntity { entity, etag, warnings } = written.value;
    request.reply(ChargedValue::new(entity.into(), written.charge)).etag(etag).warnings(warnings)
}

/// Creates an entity.
#[utoipa::path(post, path = "/api/v1/worlds/{world}/entities", params(("world" = String, Path)),
    request_body = EntityDraft, responses(
    (status = 201, body = DataEnvelope<EntityBody>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn create(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams(world): PathParams<String>,
    JsonBody(draft): JsonBody<EntityDraft>,
) -> HttpResult<WorldReply<EntityBody>> {
    let access = request.access(&api, &world).await?;
    let written = api.system.create_entity(&access, draft).await?;
    Ok(written_reply(request, written).status(StatusCode::CREATED))
}

/// An entity.
#[utoipa::path(get, path = "/api/v1/worlds/{world}/entities/{entity}",
    params(("world" = String, Path), ("entity" = String, Path)), responses(
    (status = 200, body = DataEnvelope<EntityBody>),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn read(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams((world, entity)): PathParams<(String, String)>,
) -> HttpResult<WorldReply<EntityBody>> {
    let access = request.access(&api, &world).await?;
    let found = api.system.entity(&access, &parse_entity(&entity)?).await?;
    let (entity, etag) = found.value;
    Ok(request.reply(ChargedValue::new(entity.into(), found.charge)).etag(etag))
}

/// Replaces an entity: absent fields are removed. Its parent stays; see `move`.
#[utoipa::path(put, path = "/api/v1/worlds/{world}/entities/{entity}",
    params(("world" = String, Path), ("entity" = String, Path)),
    request_body = EntityDraft, responses(
    (status = 200, body = DataEnvelope<EntityBody>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 412, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn replace(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams((world, entity)): PathParams<(String, String)>,
    if_match: Option<IfMatch>,
    JsonBody(draft): JsonBody<EntityDraft>,
) -> HttpResult<WorldReply<EntityBody>> {
    let access = request.access(&api, &world).await?;
    let etag = if_match.as_ref().and_then(IfMatch::etag);
    let (entity, change) = (parse_entity(&entity)?, draft.into_replacement());
    let written = api.system.update_entity(&access, &entity, &change, etag).await?;
    Ok(written_reply(request, written))
}

/// Changes an entity: absent fields stay as they are.
#[utoipa::path(patch, path = "/api/v1/worlds/{world}/entities/{entity}",
    params(("world" = String, Path), ("entity" = String, Path)),
    request_body = EntityChange, responses(
    (status = 200, body = DataEnvelope<EntityBody>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 412, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn change(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams((world, entity)): PathParams<(String, String)>,
    if_match: Option<IfMatch>,
    JsonBody(change): JsonBody<EntityChange>,
) -> HttpResult<WorldReply<EntityBody>> {
    let access = request.access(&api, &world).await?;
    let etag = if_match.as_ref().and_then(IfMatch::etag);
    let written = api.system.update_entity(&access, &parse_entity(&entity)?, &change, etag).await?;
    Ok(written_reply(request, written))
}

/// How to delete.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DeleteQuery {
    /// Also everything nested in it, in the background.
    #[serde(default)]
    cascade: bool,
}

/// Deletes an entity; with a cascade, everything nested in it too. It can be restored.
#[utoipa::path(delete, path = "/api/v1/worlds/{world}/entities/{entity}",
    params(("world" = String, Path), ("entity" = String, Path), DeleteQuery), responses(
    (status = 200, body = DataEnvelope<EntityBody>),
    (status = 202, body = DataEnvelope<OperationBody>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 412, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 429, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn delete(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams((world, entity)): PathParams<(String, String)>,
    QueryParams(query): QueryParams<DeleteQuery>,
    if_match: Option<IfMatch>,
) -> HttpResult<Response> {
    let access = request.access(&api, &world).await?;
    let (entity, etag) = (parse_entity(&entity)?, if_match.as_ref().and_then(IfMatch::etag));
    if query.cascade {
        let operation = api.system.delete_cascade(&access, &entity, etag).await?;
        let value = body_of::<_, OperationBody>(operation);
        return Ok(request.reply(value).status(StatusCode::ACCEPTED).into_response());
    }
    let written = api.system.delete_entity(&access, &entity, etag).await?;
    Ok(written_reply(request, written).into_response())
}

/// What is nested directly in an entity, by name.
#[utoipa::path(get, path = "/api/v1/worlds/{world}/entities/{entity}/children",
    params(("world" = String, Path), ("entity" = String, Path), PageQuery), responses(
    (status = 200, body = DataEnvelope<Vec<EntityBody>>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn children(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams((world, entity)): PathParams<(String, String)>,
    QueryParams(page): QueryParams<PageQuery>,
) -> HttpResult<WorldReply<Vec<EntityBody>>> {
    let access = request.access(&api, &world).await?;
    let parent = parse_entity(&entity)?;
    let scope = ["children", access.world().as_str(), access.user().as_str(), parent.as_str()];
    let options = page.options(PAGE, api.server.cursors(), &scope)?;
    let limit = options.rows_max.unwrap_or(PAGE_ROWS);
    let found = api.system.children(&access, &parent, limit, options.continuation).await?;
    Ok(page_reply(&api, request, found, limit, &scope))
}

/// How many entities are nested directly in one.
#[utoipa::path(get, path = "/api/v1/worlds/{world}/entities/{entity}/children/count",
    params(("world" = String, Path), ("entity" = String, Path)), responses(
    (status = 200, body = DataEnvelope<ChildCount>),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn count_children(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams((world, entity)): PathParams<(String, String)>,
) -> HttpResult<WorldReply<ChildCount>> {
    let access = request.access(&api, &world).await?;
    let count = api.system.count_children(&access, &parse_entity(&entity)?).await?;
    Ok(request.reply(count))
}

/// Where to move an entity.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct MoveBody {
    /// The entity to nest it in.
    new_parent_id: String,
}

/// Nests an entity in another one. Paths of what is nested in it follow in the background.
#[utoipa::path(post, path = "/api/v1/worlds/{world}/entities/{entity}/move",
    params(("world" = String, Path), ("entity" = String, Path)), request_body = MoveBody, responses(
    (status = 200, body = DataEnvelope<EntityBody>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 412, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn move_to(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams((world, entity)): PathParams<(String, String)>,
    if_match: Option<IfMatch>,
    JsonBody(body): JsonBody<MoveBody>,
) -> HttpResult<WorldReply<EntityBody>> {
    let access = request.access(&api, &world).await?;
    let parent = EntityId::parse(body.new_parent_id);
    let parent = parent.map_err(|why| Problem::invalid_field("newParentId", "invalid", why))?;
    let etag = if_match.as_ref().and_then(IfMatch::etag);
    let moved = api.system.move_entity(&access, &parse_entity(&entity)?, &parent, etag).await?;
    Ok(written_reply(request, moved))
}
