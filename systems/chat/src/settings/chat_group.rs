//! The groups `Chat` and `Features`: rules of messages, and what is switched on.

use serde::{Deserialize, Serialize};
use service::settings::{Secret, SettingsSection, SettingsValidator};

/// The group `Chat`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ChatGroup {
    /// Characters of a message.
    pub max_message_length: usize,
    /// How ids of messages are made.
    pub message_id_strategy: MessageIdStrategy,
    /// From when the time to live of a message counts.
    pub retention_from: RetentionFrom,
    /// This is a developer's machine: one-time codes go to the log, and no pepper is needed.
    pub development: bool,
    /// User names of administrators, besides those whom the issuer names.
    pub admins: Vec<String>,
    /// Seconds for which rooms and state of a user are trusted before they are read again.
    pub user_cache_seconds: u64,
    /// The key of the hashes in erasure certificates, which name no user.
    pub erasure_secret: Secret,
    /// Open connections of one user.
    pub connections_per_user: usize,
}

/// How ids of messages are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageIdStrategy {
    /// Decimal text of a number from 1 to 2,147,483,647, as in the seed.
    #[default]
    Random,
    /// 26 characters that sort by time.
    Ulid,
}

/// From when the time to live of a message counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RetentionFrom {
    /// From its last write, as the service does: a read receipt prolongs the life of a message.
    #[default]
    Write,
    /// From its creation: each write stores the seconds that remain.
    Creation,
}

/// The group `Features`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct FeatureSettings {
    /// `POST /api/messages`.
    pub enable_rest_post_messages: bool,
    /// A message names the one it answers.
    pub reply_to: bool,
    /// Senders edit messages, and a deleted message leaves a tombstone.
    pub edit_messages: bool,
    /// Typing events, which are never stored.
    pub typing: bool,
    /// Unread counts by room and user.
    pub unread_counts: bool,
    /// Search in the rooms of the caller.
    pub search: bool,
    /// Rooms have their own retention.
    pub room_retention: bool,
    /// Administrators export a room as lines of JSON.
    pub room_export: bool,
    /// Programs post with a token of a room.
    pub incoming_webhook: bool,
    /// `@name` notifies that user.
    pub mentions: bool,
}

impl FeatureSettings {
    /// Everything.
    #[must_use]
    pub fn all() -> Self {
        Self {
            enable_rest_post_messages: true,
            reply_to: true,
            edit_messages: true,
            typing: true,
            unread_counts: true,
            search: true,
            room_retention: true,
            room_export: true,
            incoming_webhook: true,
            mentions: true,
        }
    }
}

impl Default for ChatGroup {
    fn default() -> Self {
        Self {
            max_message_length: 1_000,
            message_id_strategy: MessageIdStrategy::default(),
            retention_from: RetentionFrom::default(),
            development: false,
            admins: Vec::new(),
            user_cache_seconds: 5,
            erasure_secret: Secret::default(),
            connections_per_user: 20,
        }
    }
}

impl SettingsSection for ChatGroup {
    fn validate(&self, validator: &mut SettingsValidator) {
        validator.require_range("MaxMessageLength", self.max_message_length, 1..=100_000);
        validator.require_range("UserCacheSeconds", self.user_cache_seconds, 0..=300);
        validator.require_range("ConnectionsPerUser", self.connections_per_user, 1..=10_000);
    }
}
