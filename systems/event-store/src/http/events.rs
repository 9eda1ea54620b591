//! Appending and reading events.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use service::http::{
    HttpResult, JsonBody, PageLimits, PathParams, Problem, ProblemDocument, QueryParams,
};
use service::identity::Caller;

use super::router::{EventStoreApi, parse_tags};
use crate::domain::{
    AppendCondition, AppendReceipt, AppendRequest, DomainEvent, DomainEventId, EventDraft,
    EventQuery, EventQueryItem, EventRead, EventTag, ReadPosition, SortableUniqueId,
};
use crate::service_id::ServiceId;

const PAGE: PageLimits = PageLimits::new(100, 1_000);

/// Events to append.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AppendBody {
    events: Vec<EventBody>,
    condition: Option<ConditionBody>,
    idempotency_key: Option<String>,
}

/// An event to append.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
struct EventBody {
    id: Option<String>,
    #[serde(rename = "type")]
    event_type: String,
    version: Option<u32>,
    #[serde(default)]
    payload: Value,
    #[serde(default)]
    tags: Vec<String>,
    causation_id: Option<String>,
    correlation_id: Option<String>,
}

/// `tags` with versions, or `failIfEventsMatch` with `after`.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
struct ConditionBody {
    tags: Option<BTreeMap<String, Option<String>>>,
    fail_if_events_match: Option<QueryBody>,
    /// A position that a read returned, or a sortable id.
    after: Option<String>,
}

/// Items are alternatives; an item needs one of its types and all of its tags.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
pub(super) struct QueryBody {
    #[serde(default)]
    items: Vec<QueryItemBody>,
}

/// One alternative of a query.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
struct QueryItemBody {
    #[serde(default)]
    types: Vec<String>,
    #[serde(default)]
    tags: Vec<String>,
}

/// Which events to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct EventsParams {
    /// A sortable id, or `next` of the page before.
    since: Option<String>,
    /// Events at most.
    limit: Option<usize>,
    /// One of these types, separated by commas.
    types: Option<String>,
    /// All of these tags, separated by commas.
    tags: Option<String>,
}

/// A page of events.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventsPage {
    pub(super) items: Vec<DomainEvent>,
    /// Where the next page starts; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
    /// What was seen, for `after` of a condition.
    pub(super) position: String,
}

impl QueryBody {
    pub(super) fn into_query(self) -> HttpResult<EventQuery> {
        let item = |item: QueryItemBody| {
            Ok(EventQueryItem { types: item.types, tags: parse_tags(&item.tags)? })
        };
        Ok(EventQuery { items: self.items.into_iter().map(item).collect::<HttpResult<_>>()? })
    }
}

impl AppendBody {
    fn into_request(
        self,
        api: &EventStoreApi,
        caller: &Caller,
        service: &ServiceId,
    ) -> HttpResult<AppendRequest> {
        let event = |event: EventBody| {
            let id = event.id.as_deref().map(DomainEventId::parse).transpose()?;
            Ok(EventDraft {
                id,
                event_type: event.event_type,
                event_version: event.version.unwrap_or(1),
                payload: event.payload,
                tags: parse_tags(&event.tags)?,
                causation_id: event.causation_id,
                correlation_id: event.correlation_id,
                executed_user: Some(caller.subject().to_owned()),
            })
        };
        let events = self.events.into_iter().map(event).collect::<HttpResult<_>>()?;
        let condition = match self.condition {
            None => AppendCondition::None,
            Some(condition) => condition.into_condition(api, service)?,
        };
        Ok(AppendRequest { events, condition, idempotency_key: self.idempotency_key })
    }
}

impl ConditionBody {
    fn into_condition(
        self,
        api: &EventStoreApi,
        service: &ServiceId,
    ) -> HttpResult<AppendCondition> {
        match (self.tags, self.fail_if_events_match) {
            (Some(tags), None) => {
                let version = |(tag, version): (String, Option<String>)| {
                    let version = version.as_deref().map(SortableUniqueId::parse).transpose();
                    let version = version
                        .map_err(|why| Problem::invalid_field("condition.tags", "invalid", why))?;
                    Ok((EventTag::parse(&tag)?, version))
                };
                Ok(AppendCondition::Tags(tags.into_iter().map(version).collect::<HttpResult<_>>()?))
            }
            (None, Some(query)) => {
                let after = match self.after.as_deref() {
                    None => None,
                    Some(text) => match SortableUniqueId::parse(text) {
                        Ok(id) => Some(ReadPosition::after(id)),
                        Err(_) => Some(ReadPosition::parse(&api.open("position", service, text)?)?),
                    },
                };
                let fail_if_events_match = query.into_query()?;
                Ok(AppendCondition::Query { fail_if_events_match, after })
            }
            _ => {
                let message = "give 'tags' or 'failIfEventsMatch'";
                Err(Problem::invalid_field("condition", "invalid", message))
            }
        }
    }
}

/// Appends events, all or none.
#[utoipa::path(post, path = "/api/v1/events", request_body = AppendBody, responses(
    (status = 201, body = AppendReceipt),
    (status = 200,
        description = "An earlier append under the same key did it.", body = AppendReceipt),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 413, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn append(
    State(api): State<EventStoreApi>,
    caller: Caller,
    JsonBody(body): JsonBody<AppendBody>,
) -> HttpResult<(StatusCode, JsonBody<AppendReceipt>)> {
    let (scope, service) = api.scope(&caller)?;
    let request = body.into_request(&api, &caller, &service)?;
    let receipt = scope.events.append(request).await?;
    let status = if receipt.is_repeat { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, JsonBody(receipt)))
}

/// Events after a position, in order.
#[utoipa::path(get, path = "/api/v1/events", params(EventsParams), responses(
    (status = 200, body = EventsPage),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    State(api): State<EventStoreApi>,
    caller: Caller,
    QueryParams(params): QueryParams<EventsParams>,
) -> HttpResult<JsonBody<EventsPage>> {
    let (scope, service) = api.scope(&caller)?;
    let words = |text: &Option<String>| -> Vec<String> {
        let words = text.as_deref().unwrap_or_default().split(',');
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (types, tags) = (words(&params.types), parse_tags(&words(&params.tags))?);
    let items = match types.is_empty() && tags.is_empty() {
        true => Vec::new(),
        false => vec![EventQueryItem { types, tags }],
    };
    let read = EventRead {
        query: EventQuery { items },
        after: api.since(&service, params.since.as_deref())?,
        events_max: Some(PAGE.rows(params.limit)?),
    };
    let page = scope.events.read(&read).await?;
    Ok(JsonBody(api.page(&service, page)))
}

impl EventStoreApi {
    pub(super) fn page(
        &self,
        service: &ServiceId,
        page: crate::storage::DomainEventPage,
    ) -> EventsPage {
        let last = page.events.last().filter(|_| page.has_more);
        let next = last.map(|last| self.seal("since", service, last.sortable_unique_id.as_str()));
        let position = self.seal("position", service, &page.position.to_string());
        EventsPage { items: page.events, next, position }
    }
}

/// One event.
#[utoipa::path(get, path = "/api/v1/events/{id}", params(("id" = String, Path)), responses(
    (status = 200, body = DomainEvent),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn one(
    State(api): State<EventStoreApi>,
    caller: Caller,
    PathParams(id): PathParams<String>,
) -> HttpResult<JsonBody<DomainEvent>> {
    let (scope, _) = api.scope(&caller)?;
    let id = DomainEventId::parse(&id)?;
    let event = scope.events.read_event(id).await?;
    event.map(JsonBody).ok_or_else(|| Problem::not_found(format!("There is no event {id}.")))
}
