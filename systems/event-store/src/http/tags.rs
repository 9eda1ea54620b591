//! Tags: lists, versions, histories, states.

use axum::extract::State;
use axum::http::header::{ETAG, HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use service::http::{HttpResult, JsonBody, PathParams, Problem, ProblemDocument, QueryParams};
use service::identity::Caller;

use super::events::EventsPage;
use super::router::EventStoreApi;
use crate::domain::{EventQuery, EventRead, EventTag, SortableUniqueId, TagSummary};
use crate::store::StoreScope;

/// Which tags to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct TagsParams {
    /// Only tags of this group.
    pub(super) group: Option<String>,
}

/// Where the history of a tag starts.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SinceParams {
    /// A sortable id, or `next` of the page before.
    since: Option<String>,
    /// Events at most.
    limit: Option<usize>,
}

/// The tags of the tenant.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct TagsBody {
    pub(super) items: Vec<TagSummary>,
}

/// The version of a tag.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TagBody {
    tag: String,
    tag_group: String,
    last_sortable_unique_id: String,
    last_event_id: String,
    last_event_type: String,
}

/// The state of a tag.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TagStateBody {
    tag: String,
    projector: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_sortable_unique_id: Option<String>,
    state: Value,
}

/// The tags of the tenant. It reads all rows of the tenant.
#[utoipa::path(get, path = "/api/v1/tags", params(TagsParams), responses(
    (status = 200, body = TagsBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    State(api): State<EventStoreApi>,
    caller: Caller,
    QueryParams(params): QueryParams<TagsParams>,
) -> HttpResult<JsonBody<TagsBody>> {
    let (scope, _) = api.scope(&caller)?;
    Ok(JsonBody(TagsBody { items: scope.events.all_tags(params.group.as_deref()).await? }))
}

/// The version of a tag; 404 if it has no events.
#[utoipa::path(get, path = "/api/v1/tags/{tag}", params(("tag" = String, Path)), responses(
    (status = 200, body = TagBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn one(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams(tag): PathParams<String>,
) -> HttpResult<(HeaderMap, JsonBody<TagBody>)> {
    let (scope, _) = api.scope(&caller)?;
    let tag = EventTag::parse(&tag)?;
    let row = scope.events.latest_tag(&tag).await?;
    let row = row.ok_or_else(|| Problem::not_found(format!("The tag {tag} has no events.")))?;
    let body = TagBody {
        tag_group: tag.group().to_owned(),
        tag: tag.to_string(),
        last_sortable_unique_id: row.sortable_unique_id.to_string(),
        last_event_id: row.event_id.to_string(),
        last_event_type: row.event_type,
    };
    Ok((etag(Some(&row.sortable_unique_id)), JsonBody(body)))
}

/// The events of a tag, in order.
#[utoipa::path(get, path = "/api/v1/tags/{tag}/events",
    params(("tag" = String, Path), SinceParams), responses(
    (status = 200, body = EventsPage),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn events(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams(tag): PathParams<String>,
    QueryParams(params): QueryParams<SinceParams>,
) -> HttpResult<JsonBody<EventsPage>> {
    let (scope, service) = api.scope(&caller)?;
    let limits = service::http::PageLimits::new(100, 1_000);
    let read = EventRead {
        query: EventQuery::tag(EventTag::parse(&tag)?),
        after: api.since(&service, params.since.as_deref())?,
        events_max: Some(limits.rows(params.limit)?),
    };
    let page = scope.events.read(&read).await?;
    Ok(JsonBody(api.page(&service, page)))
}

/// The state of a tag, by a projector.
#[utoipa::path(get, path = "/api/v1/tags/{tag}/state/{projector}",
    params(("tag" = String, Path), ("projector" = String, Path)), responses(
    (status = 200, body = TagStateBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn state(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams((tag, projector)): PathParams<(String, String)>,
) -> HttpResult<(HeaderMap, JsonBody<TagStateBody>)> {
    let (scope, _) = api.scope(&caller)?;
    let (body, version) = api.tag_state(&scope, &EventTag::parse(&tag)?, &projector).await?;
    Ok((etag(version.as_ref()), JsonBody(body)))
}

impl EventStoreApi {
    /// The state of a tag, and its version.
    pub(super) async fn tag_state(
        &self,
        scope: &StoreScope,
        tag: &EventTag,
        projector: &str,
    ) -> HttpResult<(TagStateBody, Option<SortableUniqueId>)> {
        let found = self.system.tag_states().state(scope, projector, tag).await?;
        let missing = || Problem::not_found(format!("There is no projector '{projector}'."));
        let (state, version) = found.ok_or_else(missing)?;
        let body = TagStateBody {
            tag: tag.to_string(),
            projector: projector.to_owned(),
            last_sortable_unique_id: version.as_ref().map(ToString::to_string),
            state,
        };
        Ok((body, version))
    }
}

/// The version of a tag as an etag.
fn etag(version: Option<&SortableUniqueId>) -> HeaderMap {
    let text = version.map_or("\"empty\"".to_owned(), |version| format!("\"{version}\""));
    let mut headers = HeaderMap::new();
    if let Ok(value) = HeaderValue::from_str(&text) {
        headers.insert(ETAG, value);
    }
    headers
}
