//! The route that takes events in, for services only.
//!
//! Owns the request body and naming every field of it that is wrong. Everything is validated before anything is stored.

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use service::http::{HttpResult, JsonBody, Problem, ProblemDocument};
use service::identity::Caller;

use crate::action::NewEvent;
use crate::body_field::{BodyField, collect};
use crate::domain::{EventPayload, EventStatus, EventType, TargetType, UserId, UtcTimestamp};
use crate::error::InvalidField;

use super::problem::with_fields;
use super::router::{ApiState, SERVICE_ROLE};

/// Users of one request at most.
const USERS_MAX: usize = 50;

/// An event to send, and to whom.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SendBody {
    /// One user; or `userIds`.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    user_id: BodyField<String>,
    /// At most 50 users; or `userId`.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>)]
    user_ids: BodyField<Vec<String>>,
    #[serde(default)]
    #[schema(value_type = EventType, required = true)]
    event_type: BodyField<EventType>,
    #[serde(default)]
    #[schema(value_type = PayloadBody, required = true)]
    payload: BodyField<PayloadBody>,
    /// Events with the same key within the dedupe window become one notification.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    dedupe_key: BodyField<String>,
    /// The event is not processed before this time.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    scheduled_at: BodyField<String>,
    /// Another request with the same key does not create another event.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    idempotency_key: BodyField<String>,
    /// Properties that a request does not have.
    #[serde(flatten)]
    #[schema(ignore)]
    unknown: Map<String, Value>,
}

/// Who did what to what. Further properties are kept, and templates can use them.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PayloadBody {
    /// Id of who did it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    actor_id: BodyField<String>,
    /// Name of who did it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    actor_name: BodyField<String>,
    /// A few words of the content.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    snippet: BodyField<String>,
    /// Id of what it was done to.
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    target_id: BodyField<String>,
    /// Type of what it was done to.
    #[serde(default)]
    #[schema(value_type = TargetType, required = true)]
    target_type: BodyField<TargetType>,
    #[serde(flatten)]
    #[schema(ignore)]
    extra: Map<String, Value>,
}

/// The events that were created.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct SentBody {
    queued: usize,
    events: Vec<SentEvent>,
}

/// One event that was created.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SentEvent {
    id: String,
    #[schema(value_type = String)]
    user_id: UserId,
    status: EventStatus,
}

/// Creates an event for one user or several.
#[utoipa::path(post, path = "/api/notifications/send", request_body = SendBody, responses(
    (status = 202, body = SentBody),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn send(
    State(api): State<ApiState>,
    caller: Caller,
    JsonBody(body): JsonBody<Value>,
) -> HttpResult<(StatusCode, JsonBody<SentBody>)> {
    caller.require_role(SERVICE_ROLE)?;
    let core = &api.system.core;
    let events = parse_body(body).and_then(|events| {
        // The events differ only in their users, so one of them is enough.
        let errors =
            events.first().map(|event| event.invalid_fields(core.now(), core.settings.retention()));
        match errors.unwrap_or_default() {
            errors if errors.is_empty() => Ok(events),
            errors => Err(errors),
        }
    });
    let events = events.map_err(|errors| {
        let problem =
            Problem::bad_request("invalid_fields", "The event is not valid; nothing was stored.");
        with_fields(problem, &errors)
    })?;
    let mut sent = Vec::with_capacity(events.len());
    // One after the other, without a transaction: users are different partitions. A caller that gets an error repeats
    // the request with its idempotency key.
    for event in events {
        let event = api.system.enqueue(event).await?.value;
        sent.push(SentEvent { id: event.id, user_id: event.user_id, status: event.status });
    }
    Ok((StatusCode::ACCEPTED, JsonBody(SentBody { queued: sent.len(), events: sent })))
}

/// The events of a request, or everything that is wrong with it.
fn parse_body(body: Value) -> Result<Vec<NewEvent>, Vec<InvalidField>> {
    let body = SendBody::deserialize(body)
        .map_err(|_| vec![InvalidField::new("body", "is not an object")])?;
    let mut errors: Vec<InvalidField> = body
        .unknown
        .keys()
        .map(|name| InvalidField::new(name, "is not a property of a request to send"))
        .collect();
    let users = parse_users(body.user_id, body.user_ids, &mut errors);
    let event_type = body
        .event_type
        .valid()
        .ok_or_else(|| format!("is not one of {}", EventType::ALL.map(EventType::name).join(", ")));
    let event_type = collect(&mut errors, "eventType", event_type);
    let payload = parse_payload(body.payload, &mut errors);
    let mut text = |name: &str, field: BodyField<String>| {
        collect(&mut errors, name, field.optional(NOT_TEXT)).flatten()
    };
    let dedupe_key = text("dedupeKey", body.dedupe_key);
    let idempotency_key = text("idempotencyKey", body.idempotency_key);
    let scheduled_at = text("scheduledAt", body.scheduled_at);
    let scheduled_at = scheduled_at.map(|text| UtcTimestamp::parse(&text)).transpose();
    let scheduled_at = collect(&mut errors, "scheduledAt", scheduled_at).flatten();
    let (Some(event_type), Some(payload), true) = (event_type, payload, errors.is_empty()) else {
        return Err(errors);
    };
    let event = |user_id| NewEvent {
        user_id,
        event_type,
        payload: payload.clone(),
        dedupe_key: dedupe_key.clone(),
        scheduled_at,
        idempotency_key: idempotency_key.clone(),
    };
    Ok(users.into_iter().map(event).collect())
}

const NOT_TEXT: &str = "is not a text";

fn parse_users(
    user_id: BodyField<String>,
    user_ids: BodyField<Vec<String>>,
    errors: &mut Vec<InvalidField>,
) -> Vec<UserId> {
    let (names, field) = match (user_id, user_ids) {
        (BodyField::Valid(user), BodyField::Missing) => (vec![user], "userId"),
        (BodyField::Missing, BodyField::Valid(users)) => (users, "userIds"),
        (BodyField::Missing, BodyField::Invalid(Value::Array(_))) => {
            errors.push(InvalidField::new("userIds", "has an element that is not a text"));
            return Vec::new();
        }
        _ => {
            let message = "give either userId, a text, or userIds, a list of texts";
            errors.push(InvalidField::new("userId", message));
            return Vec::new();
        }
    };
    if names.is_empty() || names.len() > USERS_MAX {
        let message = format!("has {} users, not 1 to {USERS_MAX}", names.len());
        errors.push(InvalidField::new(field, message));
        return Vec::new();
    }
    let mut users: Vec<UserId> = Vec::with_capacity(names.len());
    let mut wrong = None;
    for name in names {
        match UserId::parse(name) {
            // A list of at most 50, so a search through it is cheap.
            Ok(user) if users.contains(&user) => wrong = Some("names a user twice".to_owned()),
            Ok(user) => users.push(user),
            Err(message) => wrong = Some(message),
        }
    }
    errors.extend(wrong.map(|message| InvalidField::new(field, message)));
    users
}

fn parse_payload(
    payload: BodyField<PayloadBody>,
    errors: &mut Vec<InvalidField>,
) -> Option<EventPayload> {
    let Some(payload) = payload.valid() else {
        errors.push(InvalidField::new("payload", "is missing or not an object"));
        return None;
    };
    let mut text = |name: &str, field: BodyField<String>| {
        collect(errors, name, field.optional(NOT_TEXT)).flatten()
    };
    let actor_id = text("payload.actorId", payload.actor_id);
    let actor_name = text("payload.actorName", payload.actor_name);
    let snippet = text("payload.snippet", payload.snippet);
    let target_type = payload.target_type.valid();
    let target_type = target_type.ok_or_else(|| "is not one of post, comment, user".to_owned());
    let target_type = collect(errors, "payload.targetType", target_type);
    let target_id = payload.target_id.valid();
    let target_id = target_id.ok_or_else(|| "is missing or not a text".to_owned());
    let target_id = collect(errors, "payload.targetId", target_id);
    Some(EventPayload {
        actor_id,
        actor_name,
        target_id: target_id?,
        target_type: target_type?,
        snippet,
        extra: payload.extra,
    })
}
