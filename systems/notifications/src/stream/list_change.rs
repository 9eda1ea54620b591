//! What a change of the container `notifications` means to whoever watches a list.
//!
//! Owns the stream events and the erasure marker. The change feed of latest versions has no deletions, so an erasure
//! writes a short-lived item that names nobody, in a partition that no user can have.

use client::PartitionKey;
use model::PartitionKeyValue;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::domain::{Notification, NotificationBody, UtcTimestamp};

/// An event on a user's stream.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StreamEvent {
    /// A notification was added.
    New(Box<NotificationBody>),
    /// One changed: events were merged into it, or it was read or dismissed.
    Updated(Box<NotificationBody>),
    /// Several changed, or all are gone: the list has to be read again.
    Changed,
}

/// How long an erasure marker stays. A reader that is further behind has lost its position and sends a reset anyway.
const ERASURE_MARKER_SECONDS: u64 = 600;

/// Says that a user's list was erased.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ErasureMarker {
    /// Keyed hash of the user, which is also the topic of their stream.
    pub(super) id: String,
    /// Always `null`, which is the partition key: a user id is a string.
    user_id: Option<()>,
    erased_at: UtcTimestamp,
    ttl: u64,
}

/// A change of the container, parsed.
#[derive(Debug, PartialEq)]
pub(super) enum ListChange {
    /// One notification was written.
    Notification(Box<Notification>),
    /// A whole list was erased.
    Erasure(ErasureMarker),
}

impl ErasureMarker {
    pub(super) fn new(user_hash: String, now: UtcTimestamp) -> Self {
        Self { id: user_hash, user_id: None, erased_at: now, ttl: ERASURE_MARKER_SECONDS }
    }

    pub(super) fn partition_key() -> PartitionKey {
        PartitionKey::from_values([PartitionKeyValue::Null])
    }
}

impl ListChange {
    /// `None` for an item this program does not know: a foreign one, or one of a newer version.
    pub(super) fn parse(item: &[u8]) -> Option<Self> {
        let marker = || serde_json::from_slice(item).ok().map(Self::Erasure);
        let notification = serde_json::from_slice(item).ok();
        // A notification first: nearly every change is one, and a marker lacks its required fields.
        notification.map(|one| Self::Notification(Box::new(one))).or_else(marker)
    }
}

impl StreamEvent {
    /// `New` if the notification looks as it was created, otherwise `Updated`. A listener that missed the first version
    /// only gets `Updated`, with the whole notification.
    pub(super) fn for_notification(notification: Notification) -> Self {
        let is_first = is_first_version(&notification);
        let body = Box::new(NotificationBody::from(notification));
        if is_first { Self::New(body) } else { Self::Updated(body) }
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::New(_) => "new",
            Self::Updated(_) => "updated",
            Self::Changed => "changed",
        }
    }

    pub(super) fn data(&self) -> Value {
        match self {
            Self::New(body) | Self::Updated(body) => serde_json::to_value(body).unwrap_or_default(),
            Self::Changed => json!({}),
        }
    }
}

/// Whether nothing that a user sees has changed since the notification was created.
pub(super) fn is_first_version(notification: &Notification) -> bool {
    notification.count.unwrap_or(1) == 1 && notification.is_unread()
}
