//! The route that searches in a world.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use service::http::{HttpResult, PageQuery, PathParams, Problem, ProblemDocument, QueryParams};

use super::bodies::EntityBody;
use super::entities::page_reply;
use super::reply::{DataEnvelope, WorldReply};
use super::request::{WorldRequest, parse_entity};
use super::router::{PAGE, PAGE_ROWS, WorldsApi};

/// What to search for.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WorldSearchQuery {
    /// A part of a name, or a whole tag.
    q: String,
    /// `text`; `hybrid` and `vector` are not configured.
    mode: Option<String>,
    /// Only inside of this entity.
    parent_id: Option<String>,
    /// Entities per page, 1 to 200.
    limit: Option<usize>,
    /// The cursor of the previous page.
    cursor: Option<String>,
}

/// Entities whose name contains a text, or that have it as a tag.
#[utoipa::path(get, path = "/api/v1/worlds/{world}/search",
    params(("world" = String, Path), WorldSearchQuery), responses(
    (status = 200, body = DataEnvelope<Vec<EntityBody>>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 501, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn search(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams(world): PathParams<String>,
    QueryParams(query): QueryParams<WorldSearchQuery>,
) -> HttpResult<WorldReply<Vec<EntityBody>>> {
    let access = request.access(&api, &world).await?;
    match query.mode.as_deref().unwrap_or("text") {
        "text" => {}
        "hybrid" | "vector" => {
            let detail = "This kind of search is not configured. Use mode=text.";
            return Err(Problem::new(StatusCode::NOT_IMPLEMENTED, "not_configured", detail));
        }
        other => {
            let message = format!("'{other}' is not one of text, hybrid and vector");
            return Err(Problem::invalid_field("mode", "unknown", message));
        }
    }
    let inside = query.parent_id.as_deref().map(parse_entity).transpose()?;
    let top = inside.as_ref().map_or("", |id| id.as_str());
    let scope = ["search", access.world().as_str(), access.user().as_str(), &query.q, top];
    let page = PageQuery { limit: query.limit, cursor: query.cursor.clone() };
    let options = page.options(PAGE, api.server.cursors(), &scope)?;
    let limit = options.rows_max.unwrap_or(PAGE_ROWS);
    let found = api.system.search(&access, &query.q, inside.as_ref(), limit, options.continuation);
    let found = found.await?;
    Ok(page_reply(&api, request, found, limit, &scope))
}
