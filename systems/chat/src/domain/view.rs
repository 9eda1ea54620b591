//! What clients see: views of messages and users. Stored names differ from them on purpose.

use serde::{Deserialize, Serialize};

use super::{ChatMessage, ChatUser, UtcTimestamp};

/// A message for a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageView {
    /// Unique in its room.
    pub id: String,
    /// The text, not escaped: show it as text.
    pub content: String,
    /// User name of the sender.
    pub from_user_name: String,
    /// Whole name of the sender.
    pub from_full_name: Option<String>,
    /// Picture of the sender.
    pub avatar: Option<String>,
    /// The room.
    pub room: String,
    /// When the server took it.
    #[schema(value_type = String)]
    pub timestamp: UtcTimestamp,
    /// The sender's own id of it.
    pub correlation_id: Option<String>,
    /// User names of those who have read it.
    pub read_by: Vec<String>,
    /// The message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// When it was edited last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub edited_at: Option<UtcTimestamp>,
    /// Whether it was deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_deleted: bool,
}

/// A user for itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileView {
    /// Who the user is.
    pub user_name: String,
    /// The whole name.
    pub full_name: Option<String>,
    /// A picture.
    pub avatar: Option<String>,
}

/// A user who is here: the value of the presence hash, and what others see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PresentUser {
    /// Who the user is.
    pub user_name: String,
    /// The whole name.
    pub full_name: Option<String>,
    /// A picture.
    pub avatar: Option<String>,
    /// The room that the user is in.
    pub current_room: Option<String>,
}

impl MessageView {
    /// The view of a message; the sender may be unknown by now.
    #[must_use]
    pub fn new(message: &ChatMessage, sender: Option<&ChatUser>) -> Self {
        Self {
            id: message.id.clone(),
            content: message.content.clone(),
            from_user_name: message.from_user.clone(),
            from_full_name: sender.and_then(|user| user.full_name.clone()),
            avatar: sender.and_then(|user| user.avatar.clone()),
            room: message.room_name.as_str().to_owned(),
            timestamp: message.timestamp,
            correlation_id: message.correlation_id.clone(),
            read_by: message.read_by.clone(),
            reply_to: message.reply_to.clone(),
            edited_at: message.edited_at,
            is_deleted: message.deleted_at.is_some(),
        }
    }
}

impl From<&ChatUser> for ProfileView {
    fn from(user: &ChatUser) -> Self {
        let ChatUser { user_name, full_name, avatar, .. } = user.clone();
        Self { user_name, full_name, avatar }
    }
}

impl PresentUser {
    /// A user in a room.
    #[must_use]
    pub fn new(user: &ChatUser, current_room: Option<&str>) -> Self {
        let ChatUser { user_name, full_name, avatar, .. } = user.clone();
        Self { user_name, full_name, avatar, current_room: current_room.map(str::to_owned) }
    }
}
