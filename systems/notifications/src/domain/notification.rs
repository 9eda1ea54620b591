//! A notification: one item of a user's in-app list.
//!
//! Owns the stored form of `notifications`. Does not own its text (`text`).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Result};

use super::{Category, EventType, Moment, TargetType, UserId};

/// One item of the in-app list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Notification {
    /// Derived from the event it came from first.
    pub id: String,
    /// Whose list.
    #[schema(value_type = String)]
    pub user_id: UserId,
    /// As in the event.
    pub category: Category,
    /// As in the event.
    pub event_type: EventType,
    /// RenderedText.
    pub title: String,
    /// RenderedText.
    pub body: String,
    /// What a tap opens.
    pub deeplink: String,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_id: Option<String>,
    /// What that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_type: Option<TargetType>,
    /// Whether the user has read it.
    pub read: bool,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub read_at: Option<Moment>,
    /// Whether the user has put it away.
    pub dismissed: bool,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub dismissed_at: Option<Moment>,
    /// When it came into the list; the list is sorted by it.
    #[schema(value_type = String)]
    pub created_at: Moment,
    /// How many events it stands for; one unless stored.
    #[serde(default = "one", skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Who did it, each once, in their order: ids, or names of those without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actors: Vec<String>,
    /// What the first of them is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_name: Option<String>,
    /// Events with this one within the window are added to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedupe_key: Option<String>,
    /// Events that were added, so that none is added twice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(ignore)]
    pub merged_event_ids: Vec<String>,
    /// Whether it was pushed: only those count against a limit. It was not, unless stored.
    #[serde(default = "not_pushed", skip_serializing_if = "Option::is_none")]
    pub pushed: Option<bool>,
    /// Since when the user may have seen it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub seen_at: Option<Moment>,
    /// Seconds it still lives, counted from its last write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub ttl: Option<u32>,
}

fn one() -> Option<u32> {
    Some(1)
}

fn not_pushed() -> Option<bool> {
    Some(false)
}

impl Notification {
    /// What is stored of it at first: all but what it is read as without being stored, since each indexed property has
    /// its price. Later writes store what changed.
    pub(crate) fn to_stored(&self) -> Result<Value> {
        let mut value = serde_json::to_value(self)
            .map_err(|error| Error::internal(format!("a notification is no JSON: {error}")))?;
        if let Value::Object(properties) = &mut value {
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

    /// Marks it as read; the time is that of the first reading.
    pub fn mark_read(&mut self, at: Moment) {
        if !self.read {
            self.read = true;
            self.read_at.get_or_insert(at);
        }
    }

    /// Puts it away; the time is that of the first time.
    pub fn dismiss(&mut self, at: Moment) {
        if !self.dismissed {
            self.dismissed = true;
            self.dismissed_at.get_or_insert(at);
        }
    }
}
