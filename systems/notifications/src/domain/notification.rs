//! A notification: one item of a user's in-app list.
//!
//! Owns the stored form of `notifications`. Does not own its text (`text`), nor what its user sees
//! (`notification_body`).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Result};

use super::{Category, EventType, TargetType, UserId, UtcTimestamp};

/// One item of the in-app list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Notification {
    /// Derived from the id of its first event.
    pub id: String,
    /// Whose list it is in.
    pub user_id: UserId,
    /// That of the event.
    pub category: Category,
    /// That of the event.
    pub event_type: EventType,
    /// Rendered from a template.
    pub title: String,
    /// Rendered from a template.
    pub body: String,
    /// What a tap opens.
    pub deeplink: String,
    /// Id of what it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_id: Option<String>,
    /// Type of what it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_type: Option<TargetType>,
    /// Whether the user has read it.
    pub read: bool,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_at: Option<UtcTimestamp>,
    /// Whether the user has dismissed it: it is no longer in the list.
    pub dismissed: bool,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dismissed_at: Option<UtcTimestamp>,
    /// When it was added to the list, which is sorted by it.
    pub created_at: UtcTimestamp,
    /// How many events it represents; one unless stored.
    #[serde(default = "one", skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Who caused the events, each actor once, in order of time: ids, or names of actors without an id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actors: Vec<String>,
    /// Name of the first actor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_name: Option<String>,
    /// Events with this key within the dedupe window are merged into it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedupe_key: Option<String>,
    /// Events that were merged into it, so that none is merged twice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged_event_ids: Vec<String>,
    /// Whether it was pushed, by which it counts against the rate limit; false unless stored.
    #[serde(default = "not_pushed", skip_serializing_if = "Option::is_none")]
    pub pushed: Option<bool>,
    /// Since when the user may have seen it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_at: Option<UtcTimestamp>,
    /// Time to live in seconds, counted from its last write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u32>,
}

fn one() -> Option<u32> {
    Some(1)
}

fn not_pushed() -> Option<bool> {
    Some(false)
}

impl Notification {
    /// The form in which it is created: without `count` and `pushed` if they have the values that reading assumes,
    /// because every indexed property adds to the charge. Later writes store them.
    pub(crate) fn to_stored(&self) -> Result<Value> {
        let mut value = serde_json::to_value(self)
            .map_err(|error| Error::internal(format!("a notification as JSON: {error}")))?;
        if let Value::Object(properties) = &mut value {
            // The names must be those that `default` restores above, or a stored item would change when it is read.
            if self.count == one() {
                properties.remove("count");
            }
            if self.pushed == not_pushed() {
                properties.remove("pushed");
            }
        }
        Ok(value)
    }

    /// Whether it counts as unread.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        !self.read && !self.dismissed
    }

    /// Marks it as read. If it already is, the time stays.
    pub fn mark_read(&mut self, at: UtcTimestamp) {
        if !self.read {
            self.read = true;
            self.read_at.get_or_insert(at);
        }
    }

    /// Dismisses it. If it already is, the time stays.
    pub fn dismiss(&mut self, at: UtcTimestamp) {
        if !self.dismissed {
            self.dismissed = true;
            self.dismissed_at.get_or_insert(at);
        }
    }

    /// Takes a dismissal back, so that it is in the list again. Without one nothing changes.
    pub fn restore(&mut self, _at: UtcTimestamp) {
        self.dismissed = false;
        self.dismissed_at = None;
    }
}
