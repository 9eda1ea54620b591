//! The route that takes events in, for services only.
//!
//! Owns reading a request with a problem for each part that is wrong. Everything is checked before anything is stored.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::{Map, Value};
use service::http::{Json, Outcome, Problem, ProblemDocument};
use service::identity::Principal;

use crate::action::NewEvent;
use crate::domain::{EventPayload, EventStatus, EventType, Moment, TargetType, UserId};

use super::router::{ApiState, SERVICE_ROLE};

/// Users of one request at most.
const USERS_MAX: usize = 50;

/// What is to be sent, to whom.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes a body")]
pub(super) struct SendBody {
    /// One user; or `userIds`.
    user_id: Option<String>,
    /// At most 50 users; or `userId`.
    user_ids: Option<Vec<String>>,
    event_type: EventType,
    /// `targetId` and `targetType`, and `actorId`, `actorName`, `snippet` and others if there are.
    payload: Value,
    /// Events with the same one within the window become one notification.
    dedupe_key: Option<String>,
    /// Not before this.
    scheduled_at: Option<String>,
    /// Sending again with the same one is the same event.
    idempotency_key: Option<String>,
}

/// What was taken in.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct SentBody {
    queued: usize,
    events: Vec<SentEvent>,
}

/// One event that was taken in.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SentEvent {
    id: String,
    #[schema(value_type = String)]
    user_id: UserId,
    status: EventStatus,
}

/// Takes an event in for one user or several.
#[utoipa::path(post, path = "/api/notifications/send", request_body = SendBody, responses(
    (status = 202, body = SentBody),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn send(
    State(api): State<ApiState>,
    caller: Principal,
    Json(body): Json<Value>,
) -> Outcome<(StatusCode, Json<SentBody>)> {
    caller.require_role(SERVICE_ROLE)?;
    let core = &api.system.core;
    let events = Reader::default().read(&body).and_then(|events| {
        let problems =
            events.first().map(|event| event.field_errors(core.now(), core.settings.retention()));
        match problems.unwrap_or_default() {
            problems if problems.is_empty() => Ok(events),
            problems => {
                Err(problems.into_iter().map(|problem| (problem.field, problem.message)).collect())
            }
        }
    });
    let events = events.map_err(|wrong: Wrong| {
        let problem =
            Problem::bad_request("invalid_fields", "The event is not valid; nothing was stored.");
        wrong
            .into_iter()
            .fold(problem, |problem, (field, message)| problem.field(&field, "invalid", message))
    })?;
    let mut sent = Vec::with_capacity(events.len());
    for event in events {
        let event = api.system.enqueue(event).await?.value;
        sent.push(SentEvent { id: event.id, user_id: event.user_id, status: event.status });
    }
    Ok((StatusCode::ACCEPTED, Json(SentBody { queued: sent.len(), events: sent })))
}

type Wrong = Vec<(String, String)>;

/// Reads a request and collects what is wrong with it.
#[derive(Default)]
struct Reader {
    wrong: Wrong,
}

impl Reader {
    fn read(mut self, body: &Value) -> Result<Vec<NewEvent>, Wrong> {
        let Some(body) = body.as_object() else {
            return Err(vec![("body".to_owned(), "is no object".to_owned())]);
        };
        let known = [
            "userId",
            "userIds",
            "eventType",
            "payload",
            "dedupeKey",
            "scheduledAt",
            "idempotencyKey",
        ];
        for name in body.keys().filter(|name| !known.contains(&name.as_str())) {
            self.refuse(name, "is no property of a request to send");
        }
        let users = self.users(body);
        let event_type = self.event_type(body);
        let payload = self.payload(body.get("payload"));
        let dedupe_key = self.text(body, "dedupeKey");
        let idempotency_key = self.text(body, "idempotencyKey");
        let scheduled_at = self.text(body, "scheduledAt").and_then(|text| {
            Moment::parse(&text).map_err(|message| self.refuse("scheduledAt", message)).ok()
        });
        let (Some(event_type), Some(payload), true) = (event_type, payload, self.wrong.is_empty())
        else {
            return Err(self.wrong);
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

    fn refuse(&mut self, field: &str, message: impl Into<String>) {
        self.wrong.push((field.to_owned(), message.into()));
    }

    fn text(&mut self, object: &Map<String, Value>, name: &str) -> Option<String> {
        match object.get(name) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(_) => {
                self.refuse(name, "is no text");
                None
            }
        }
    }

    fn users(&mut self, body: &Map<String, Value>) -> Vec<UserId> {
        let (names, field) = match (body.get("userId"), body.get("userIds")) {
            (Some(Value::String(user)), None) => (vec![user.clone()], "userId"),
            (None, Some(Value::Array(users))) => {
                let names: Vec<_> =
                    users.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                if names.len() != users.len() {
                    self.refuse("userIds", "holds what is no text");
                }
                (names, "userIds")
            }
            _ => {
                self.refuse("userId", "give either userId, a text, or userIds, a list of texts");
                return Vec::new();
            }
        };
        if names.is_empty() || names.len() > USERS_MAX {
            self.refuse(field, format!("has {} users, not 1 to {USERS_MAX}", names.len()));
            return Vec::new();
        }
        let mut users: Vec<UserId> = Vec::with_capacity(names.len());
        let mut wrong = None;
        for name in names {
            match UserId::parse(name) {
                Ok(user) if users.contains(&user) => wrong = Some("names a user twice".to_owned()),
                Ok(user) => users.push(user),
                Err(message) => wrong = Some(message),
            }
        }
        if let Some(wrong) = wrong {
            self.refuse(field, wrong);
        }
        users
    }

    fn event_type(&mut self, body: &Map<String, Value>) -> Option<EventType> {
        let found = body.get("eventType").and_then(Value::as_str).and_then(EventType::from_name);
        if found.is_none() {
            let known = EventType::ALL.map(EventType::name).join(", ");
            self.refuse("eventType", format!("is none of {known}"));
        }
        found
    }

    fn payload(&mut self, value: Option<&Value>) -> Option<EventPayload> {
        let Some(object) = value.and_then(Value::as_object) else {
            self.refuse("payload", "is missing or no object");
            return None;
        };
        let mut more = object.clone();
        let mut part = |name: &str| match more.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err((format!("payload.{name}"), "is no text".to_owned())),
        };
        let parts = ["actorId", "actorName", "snippet", "targetId", "targetType"].map(&mut part);
        let [actor_id, actor_name, snippet, target_id, target_type] = parts.map(|part| {
            part.unwrap_or_else(|wrong| {
                self.wrong.push(wrong);
                None
            })
        });
        let target_type = match target_type.as_deref() {
            Some("post") => Some(TargetType::Post),
            Some("comment") => Some(TargetType::Comment),
            Some("user") => Some(TargetType::User),
            _ => None,
        };
        if target_type.is_none() {
            self.refuse("payload.targetType", "is none of post, comment, user");
        }
        if target_id.is_none() {
            self.refuse("payload.targetId", "is missing; it is a text");
        }
        Some(EventPayload {
            actor_id,
            actor_name,
            target_id: target_id?,
            target_type: target_type?,
            snippet,
            more,
        })
    }
}
