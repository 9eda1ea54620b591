//! A message, as the container `messages` stores it.

use serde::{Deserialize, Serialize};

use super::{RoomName, UtcTimestamp};

/// One message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatMessage {
    /// Unique in its room.
    pub id: String,
    /// The room; the partition key.
    pub room_name: RoomName,
    /// The text, as it was typed; empty in a tombstone.
    pub content: String,
    /// User name of the sender.
    pub from_user: String,
    /// When the server took it.
    pub timestamp: UtcTimestamp,
    /// User names of those who have read it, each once.
    #[serde(default)]
    pub read_by: Vec<String>,
    /// The sender's own id of it; a message is stored once for each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// The id of the message that it answers, in the same room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// When it was edited last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<UtcTimestamp>,
    /// When it was deleted: what is left is a tombstone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<UtcTimestamp>,
    /// The first level of a hierarchical partition key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// Its own time to live in seconds; -1 for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<i64>,
}

impl ChatMessage {
    /// Whether this user has read it, without case.
    #[must_use]
    pub fn is_read_by(&self, user: &str) -> bool {
        self.read_by.iter().any(|reader| is_same_name(reader, user))
    }
}

/// Compares names as sets of users do: without case.
pub(crate) fn is_same_name(left: &str, right: &str) -> bool {
    left.to_lowercase() == right.to_lowercase()
}
