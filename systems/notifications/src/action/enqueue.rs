//! Creating an event.
//!
//! Owns the validation of an event and its first stored form. The snippet is sanitized and cut before it is stored, so
//! that no more of a message is kept than that.

use client::ErrorKind;
use serde_json::Value;

use crate::domain::{
    EventPayload, EventStatus, EventType, NotificationEvent, UserId, UtcTimestamp, event_id,
    random_id,
};
use crate::error::{Error, InvalidField, Result};
use crate::notifications::Notifications;
use crate::text::{SNIPPET_CHARS_MAX, sanitize};
use service::charge::ChargedValue;

/// The longest id, name or dedupe key, in characters.
const NAME_CHARS_MAX: usize = 255;
/// The most bytes of the extra properties of a payload.
const EXTRA_BYTES_MAX: usize = 4_096;
/// The deepest nesting of the extra properties. JSON parsers limit the depth, each in its own way, and every client
/// must be able to parse what is stored.
const EXTRA_LEVELS_MAX: usize = 16;

/// An event to create.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    /// The user to notify.
    pub user_id: UserId,
    /// What happened.
    pub event_type: EventType,
    /// Who did what to what.
    pub payload: EventPayload,
    /// Events with the same key within the dedupe window become one notification. By default the key is made of type,
    /// actor and target.
    pub dedupe_key: Option<String>,
    /// It is not processed before this time.
    pub scheduled_at: Option<UtcTimestamp>,
    /// Another event with the same key is not created.
    pub idempotency_key: Option<String>,
}

impl NewEvent {
    /// What is wrong with it; empty if it is valid.
    #[must_use]
    pub fn invalid_fields(
        &self,
        now: UtcTimestamp,
        retention: std::time::Duration,
    ) -> Vec<InvalidField> {
        let mut errors = Vec::new();
        let mut length = |field: &str, text: Option<&str>, least: usize| {
            let Some(text) = text else { return };
            let count = text.chars().count();
            // Such characters would end up in push payloads and mail headers.
            if text.chars().any(char::is_control) {
                errors.push(InvalidField::new(
                    field,
                    "has a control character, which is not allowed",
                ));
            } else if !(least..=NAME_CHARS_MAX).contains(&count) {
                let message = format!("has {count} characters, not {least} to {NAME_CHARS_MAX}");
                errors.push(InvalidField::new(field, message));
            }
        };
        length("payload.targetId", Some(&self.payload.target_id), 1);
        length("payload.actorId", self.payload.actor_id.as_deref(), 1);
        length("payload.actorName", self.payload.actor_name.as_deref(), 0);
        length("dedupeKey", self.dedupe_key.as_deref(), 1);
        length("idempotencyKey", self.idempotency_key.as_deref(), 1);
        let extra_bytes =
            serde_json::to_vec(&self.payload.extra).map_or(usize::MAX, |text| text.len());
        if extra_bytes > EXTRA_BYTES_MAX {
            let message = format!(
                "its extra properties have {extra_bytes} bytes, more than {EXTRA_BYTES_MAX}"
            );
            errors.push(InvalidField::new("payload", message));
        } else if self.payload.extra.values().any(|value| is_deeper(value, EXTRA_LEVELS_MAX)) {
            let message = format!("its extra properties have more than {EXTRA_LEVELS_MAX} levels");
            errors.push(InvalidField::new("payload", message));
        }
        if self.scheduled_at.is_some_and(|at| at >= now.after(retention)) {
            let days = retention.as_secs() / (24 * 3600);
            let message =
                format!("lies more than {days} days ahead, when the event would have expired");
            errors.push(InvalidField::new("scheduledAt", message));
        }
        errors
    }

    fn into_event(self, id: String, now: UtcTimestamp) -> NotificationEvent {
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
            // A time in the past means now; the queue would otherwise sort it before older events.
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

/// Whether arrays and objects are nested more than so many levels deep.
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
    /// Creates an event. It is `PENDING` until the dispatcher processes it.
    ///
    /// # Errors
    /// `Invalid`, naming every wrong field; those of the account.
    pub async fn enqueue(&self, event: NewEvent) -> Result<ChargedValue<NotificationEvent>> {
        let core = &self.core;
        let now = core.now();
        let errors = event.invalid_fields(now, core.settings.retention());
        if !errors.is_empty() {
            return Err(Error::with_invalid_fields("the event", errors));
        }
        // The id is derived from the key, so that the store's own conflict detects the repetition.
        let id = match &event.idempotency_key {
            Some(key) => event_id(&event.user_id, key),
            None => random_id(&core.environment),
        };
        let is_idempotent = event.idempotency_key.is_some();
        let event = event.into_event(id, now);
        let (key, id) = (event.partition_key(), event.id.clone());
        match core.queue.enqueue(event).await {
            Ok(created) => {
                // Only a hint to be quick. Without it the dispatcher finds the event with its next poll.
                core.wake_dispatcher.notify_one();
                Ok(ChargedValue::new(created.value.into_value(), created.charge))
            }
            // Sent before with this idempotency key: return that event.
            Err(error) if error.kind() == ErrorKind::Conflict && is_idempotent => {
                let first = core.containers.events.read::<NotificationEvent>(&key, &id).await?;
                Ok(ChargedValue::new(first.value.into_value(), first.charge))
            }
            Err(error) => Err(error.into()),
        }
    }
}
