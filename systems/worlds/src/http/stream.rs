//! The stream of changes of a world.

use axum::extract::State;
use axum::response::Response;
use service::http::{EventStreamRequest, HttpResult, PathParams, ProblemDocument};

use super::request::WorldRequest;
use super::router::WorldsApi;

/// Changes of a world as they happen: `entity` with an id, `hierarchy` with a version, `reset` (read all again).
#[utoipa::path(get, path = "/api/v1/worlds/{world}/events",
    params(("world" = String, Path)), responses(
    (status = 200, content_type = "text/event-stream", body = String),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 429, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn events(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams(world): PathParams<String>,
    stream: EventStreamRequest,
) -> HttpResult<Response> {
    let access = request.access(&api, &world).await?;
    let events = &api.system.core.events;
    Ok(events.respond(access.world().as_str(), stream, api.server.shutdown()))
}
