//! A notification as its user sees it: the body of responses and of stream events.
//!
//! It leaves out what only the dispatcher needs: the dedupe key, the merged events and the time to live.

use serde::Serialize;

use super::{Category, EventType, Notification, TargetType, UserId, UtcTimestamp};

/// A notification of the in-app list.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Notification)]
pub(crate) struct NotificationBody {
    /// Its id.
    id: String,
    /// Whose list it is in.
    #[schema(value_type = String)]
    user_id: UserId,
    category: Category,
    event_type: EventType,
    /// Plain text.
    title: String,
    /// Plain text.
    body: String,
    /// What a tap opens.
    deeplink: String,
    /// Id of what it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    target_id: Option<String>,
    /// Type of what it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    target_type: Option<TargetType>,
    /// Whether the user has read it.
    read: bool,
    /// Since when it is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    read_at: Option<UtcTimestamp>,
    /// Whether the user has dismissed it.
    dismissed: bool,
    /// Since when it is dismissed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    dismissed_at: Option<UtcTimestamp>,
    /// When it was added to the list, which is sorted by it.
    #[schema(value_type = String)]
    created_at: UtcTimestamp,
    /// How many events it represents.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
    /// Who caused the events, each actor once, in order of time: ids, or names of actors without an id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    actors: Vec<String>,
    /// Name of the first actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    actor_name: Option<String>,
    /// Whether it was pushed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pushed: Option<bool>,
    /// Since when the user may have seen it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    seen_at: Option<UtcTimestamp>,
}

impl From<Notification> for NotificationBody {
    fn from(notification: Notification) -> Self {
        // Without `..`: a new property must be either shown or left out here on purpose.
        let Notification {
            id,
            user_id,
            category,
            event_type,
            title,
            body,
            deeplink,
            target_id,
            target_type,
            read,
            read_at,
            dismissed,
            dismissed_at,
            created_at,
            count,
            actors,
            actor_name,
            dedupe_key: _,
            merged_event_ids: _,
            pushed,
            seen_at,
            ttl: _,
        } = notification;
        Self {
            id,
            user_id,
            category,
            event_type,
            title,
            body,
            deeplink,
            target_id,
            target_type,
            read,
            read_at,
            dismissed,
            dismissed_at,
            created_at,
            count,
            actors,
            actor_name,
            pushed,
            seen_at,
        }
    }
}
