//! What an operator sees of one tenant: its tags, an event with its causes, states, projections, the feed.

use std::collections::HashSet;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use service::http::{
    EventStreamRequest, HttpResult, JsonBody, PathParams, Problem, ProblemDocument, QueryParams,
};
use service::identity::Caller;

use super::services::parse;
use crate::domain::{DomainEvent, DomainEventId, EventTag};
use crate::http::projections::ProjectionsBody;
use crate::http::router::{EventStoreApi, require_operator};
use crate::http::stream::StreamParams;
use crate::http::tags::{TagStateBody, TagsBody, TagsParams};

/// A chain of causes that is longer, or a circle, is cut off.
const CAUSES_MAX: usize = 50;

/// An event with what led to it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::http) struct EventChain {
    event: DomainEvent,
    /// The event that caused it, the cause of that one, and so on.
    causes: Vec<DomainEvent>,
    /// The first cause, if it is no event of this tenant: the id of a command, for example.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
}

/// The tags of a tenant.
#[utoipa::path(get, path = "/admin/v1/services/{id}/tags",
    params(("id" = String, Path), TagsParams), responses(
    (status = 200, body = TagsBody),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn tenant_tags(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams(id): PathParams<String>,
    QueryParams(params): QueryParams<TagsParams>,
) -> HttpResult<JsonBody<TagsBody>> {
    require_operator(&caller)?;
    let scope = api.system.scope_of(&parse(&id)?);
    Ok(JsonBody(TagsBody { items: scope.events.all_tags(params.group.as_deref()).await? }))
}

/// The state of a tag, by a projector.
#[utoipa::path(get, path = "/admin/v1/services/{id}/tags/{tag}/state/{projector}",
    params(("id" = String, Path), ("tag" = String, Path), ("projector" = String, Path)),
    responses(
    (status = 200, body = TagStateBody),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn tenant_tag_state(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams((id, tag, projector)): PathParams<(String, String, String)>,
) -> HttpResult<JsonBody<TagStateBody>> {
    require_operator(&caller)?;
    let scope = api.system.scope_of(&parse(&id)?);
    let (body, _) = api.tag_state(&scope, &EventTag::parse(&tag)?, &projector).await?;
    Ok(JsonBody(body))
}

/// An event, and the events that led to it.
#[utoipa::path(get, path = "/admin/v1/services/{id}/events/{event}",
    params(("id" = String, Path), ("event" = String, Path)), responses(
    (status = 200, body = EventChain),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn tenant_event(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams((id, event)): PathParams<(String, String)>,
) -> HttpResult<JsonBody<EventChain>> {
    require_operator(&caller)?;
    let events = api.system.scope_of(&parse(&id)?).events;
    let event_id = DomainEventId::parse(&event)?;
    let event = events.read_event(event_id).await?;
    let missing = || Problem::not_found(format!("There is no event {event_id}."));
    let event = event.ok_or_else(missing)?;
    let (mut causes, mut seen) = (Vec::new(), HashSet::from([event_id]));
    let mut cause = event.causation_id.clone();
    while let Some(text) = cause.as_deref().filter(|_| causes.len() < CAUSES_MAX) {
        let Ok(id) = DomainEventId::parse(text) else { break };
        if !seen.insert(id) {
            break;
        }
        let Some(found) = events.read_event(id).await? else { break };
        cause.clone_from(&found.causation_id);
        causes.push(found);
    }
    Ok(JsonBody(EventChain { event, causes, origin: cause }))
}

/// New events of a tenant, as they are appended.
#[utoipa::path(get, path = "/admin/v1/services/{id}/stream",
    params(("id" = String, Path), StreamParams), responses(
    (status = 200, content_type = "text/event-stream", body = String),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 429, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn tenant_stream(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams(id): PathParams<String>,
    QueryParams(params): QueryParams<StreamParams>,
    stream: EventStreamRequest,
) -> HttpResult<Response> {
    require_operator(&caller)?;
    let service = parse(&id)?;
    let scope = api.system.scope_of(&service);
    api.stream_events(scope, service, params, stream).await
}

/// How far the projections of a tenant are.
#[utoipa::path(get, path = "/admin/v1/services/{id}/projections",
    params(("id" = String, Path)), responses(
    (status = 200, body = ProjectionsBody),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn tenant_projections(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams(id): PathParams<String>,
) -> HttpResult<JsonBody<ProjectionsBody>> {
    require_operator(&caller)?;
    let items = api.system.projections().statuses(&parse(&id)?).await?;
    Ok(JsonBody(ProjectionsBody { items }))
}

/// Begins a projection of a tenant anew, in the background.
#[utoipa::path(post, path = "/admin/v1/services/{id}/projections/{name}/rebuild",
    params(("id" = String, Path), ("name" = String, Path)), responses(
    (status = 202),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn rebuild_tenant_projection(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams((id, name)): PathParams<(String, String)>,
) -> HttpResult<StatusCode> {
    require_operator(&caller)?;
    api.system.projections().rebuild(&parse(&id)?, &name).await?;
    Ok(StatusCode::ACCEPTED)
}
