//! Taking an event in.
//!
//! Owns the check of what comes in and the first form of an event. Foreign text is cut and made safe here already, so
//! that no more of a message is stored than the snippet.

use client::ErrorKind;
use serde_json::Value;

use crate::charge::ChargedValue;
use crate::domain::{
    EventPayload, EventStatus, EventType, Moment, NotificationEvent, UserId, event_id, random_id,
};
use crate::error::{Error, FieldError, Result};
use crate::notifications::Notifications;
use crate::text::{SNIPPET_CHARS_MAX, sanitize};

/// Characters of ids, names and dedupe keys at most.
const NAME_CHARS_MAX: usize = 255;
/// Bytes of the further values of a payload at most.
const MORE_BYTES_MAX: usize = 4_096;
/// Levels of them at most: readers of JSON stop somewhere, and an item that can be stored must be readable by all.
const MORE_LEVELS_MAX: usize = 16;

/// An event to be taken in.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    /// Who is told.
    pub user_id: UserId,
    /// What happened.
    pub event_type: EventType,
    /// Who, what, where.
    pub payload: EventPayload,
    /// Events with the same one within the window become one notification; type, actor and target unless given.
    pub dedupe_key: Option<String>,
    /// Not before this.
    pub scheduled_at: Option<Moment>,
    /// Sending again with the same one is the same event.
    pub idempotency_key: Option<String>,
}

impl NewEvent {
    /// What is wrong with it; nothing when it can be taken in.
    #[must_use]
    pub fn field_errors(&self, now: Moment, retention: std::time::Duration) -> Vec<FieldError> {
        let mut problems = Vec::new();
        let mut length = |field: &str, text: Option<&str>, least: usize| {
            let Some(text) = text else { return };
            let count = text.chars().count();
            if text.chars().any(char::is_control) {
                problems.push(FieldError::new(
                    field,
                    "has a control character, which no id or name has",
                ));
            } else if !(least..=NAME_CHARS_MAX).contains(&count) {
                let message = format!("has {count} characters, not {least} to {NAME_CHARS_MAX}");
                problems.push(FieldError::new(field, message));
            }
        };
        length("payload.targetId", Some(&self.payload.target_id), 1);
        length("payload.actorId", self.payload.actor_id.as_deref(), 1);
        length("payload.actorName", self.payload.actor_name.as_deref(), 0);
        length("dedupeKey", self.dedupe_key.as_deref(), 1);
        length("idempotencyKey", self.idempotency_key.as_deref(), 1);
        let more_bytes =
            serde_json::to_vec(&self.payload.more).map_or(usize::MAX, |text| text.len());
        if more_bytes > MORE_BYTES_MAX {
            let message =
                format!("its further values have {more_bytes} bytes, more than {MORE_BYTES_MAX}");
            problems.push(FieldError::new("payload", message));
        } else if self.payload.more.values().any(|value| is_deeper(value, MORE_LEVELS_MAX)) {
            let message = format!("its further values have more than {MORE_LEVELS_MAX} levels");
            problems.push(FieldError::new("payload", message));
        }
        if self.scheduled_at.is_some_and(|at| at >= now.after(retention)) {
            let days = retention.as_secs() / (24 * 3600);
            let message =
                format!("lies more than {days} days ahead, when the event would have expired");
            problems.push(FieldError::new("scheduledAt", message));
        }
        problems
    }

    fn into_event(self, id: String, now: Moment) -> NotificationEvent {
        let Self { user_id, event_type, mut payload, dedupe_key, scheduled_at, .. } = self;
        payload.snippet = payload.snippet.map(|snippet| sanitize(&snippet, SNIPPET_CHARS_MAX));
        NotificationEvent {
            id,
            user_id,
            event_type,
            category: event_type.category(),
            payload,
            status: EventStatus::Pending,
            retry_count: 0,
            next_retry_at: None,
            last_error: None,
            dedupe_key,
            created_at: now,
            processed_at: None,
            scheduled_at: scheduled_at.filter(|at| *at > now),
            lease_owner: None,
            lease_until: None,
            reason: None,
            notification_id: None,
            deliveries: Vec::new(),
            ttl: None,
        }
    }
}

/// Whether lists and objects stand inside each other more than so many times.
fn is_deeper(value: &Value, levels: usize) -> bool {
    let Some(below) = levels.checked_sub(1) else {
        return value.is_array() || value.is_object();
    };
    match value {
        Value::Array(values) => values.iter().any(|value| is_deeper(value, below)),
        Value::Object(values) => values.values().any(|value| is_deeper(value, below)),
        _ => false,
    }
}

impl Notifications {
    /// Takes an event in: it waits as `PENDING` for the dispatcher.
    ///
    /// # Errors
    /// `Invalid`, naming each part that is wrong; those of the account.
    pub async fn enqueue(&self, event: NewEvent) -> Result<ChargedValue<NotificationEvent>> {
        let core = &self.core;
        let now = core.now();
        let problems = event.field_errors(now, core.settings.retention());
        if !problems.is_empty() {
            return Err(Error::invalid_fields("the event", problems));
        }
        let id = match &event.idempotency_key {
            Some(key) => event_id(&event.user_id, key),
            None => random_id(&core.environment),
        };
        let repeats = event.idempotency_key.is_some();
        let event = event.into_event(id, now);
        let (key, id) = (event.partition_key(), event.id.clone());
        match core.queue.enqueue(event).await {
            Ok(created) => {
                core.wake_dispatcher.notify_one();
                Ok(ChargedValue::new(created.value.into_value(), created.charge))
            }
            Err(error) if error.kind() == ErrorKind::Conflict && repeats => {
                let first = core.containers.events.read::<NotificationEvent>(&key, &id).await?;
                Ok(ChargedValue::new(first.value.into_value(), first.charge))
            }
            Err(error) => Err(error.into()),
        }
    }
}
