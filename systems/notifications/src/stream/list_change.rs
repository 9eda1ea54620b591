//! What a change of the container means to those who look at a list.
//!
//! Owns the signals and the mark of an erasure: the feed of newest versions has no deletions, so an erasure leaves a
//! short-lived item that names nobody, in a partition no user can have.

use client::PartitionKey;
use model::PartitionKeyValue;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::domain::{Moment, Notification};

/// What happened to a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StreamEvent {
    /// A notification came.
    New(Box<Notification>),
    /// One changed: more events were added, it was read or put away.
    Updated(Box<Notification>),
    /// Several changed, or all are gone.
    Changed,
}

/// Seconds the mark of an erasure stays: longer than any reader is behind who will not read everything again.
const ERASED_SECONDS: u64 = 600;

/// The mark of an erasure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ErasureMarker {
    /// Keyed hash of the user.
    pub(super) id: String,
    /// No user: `null` is the partition key.
    user_id: Option<()>,
    erased_at: Moment,
    ttl: u64,
}

/// A change, read.
#[derive(Debug, PartialEq)]
pub(super) enum ListChange {
    /// Of one notification.
    Notification(Box<Notification>),
    /// Of a whole list.
    ErasureMarker(ErasureMarker),
}

impl ErasureMarker {
    pub(super) fn new(hash: String, now: Moment) -> Self {
        Self { id: hash, user_id: None, erased_at: now, ttl: ERASED_SECONDS }
    }

    pub(super) fn partition_key() -> PartitionKey {
        PartitionKey::from_values([PartitionKeyValue::Null])
    }
}

impl ListChange {
    /// None for an item this program does not know: somebody else's, or of a newer release.
    pub(super) fn read(item: &[u8]) -> Option<Self> {
        let erased = || serde_json::from_slice(item).ok().map(Self::ErasureMarker);
        let notification = serde_json::from_slice(item).ok();
        notification.map(|one| Self::Notification(Box::new(one))).or_else(erased)
    }
}

impl StreamEvent {
    /// As the first version of an item looks, or a later one. Whoever missed the first gets `updated` alone, with all
    /// of it.
    pub(super) fn of(notification: Box<Notification>) -> Self {
        if is_first(&notification) { Self::New(notification) } else { Self::Updated(notification) }
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
            Self::New(notification) | Self::Updated(notification) => shown(notification),
            Self::Changed => json!({}),
        }
    }
}

/// Whether nothing a user sees has changed since it came.
pub(super) fn is_first(notification: &Notification) -> bool {
    notification.count.unwrap_or(1) == 1 && notification.is_unread()
}

/// A notification as its user sees it: without what only the dispatcher needs.
pub(crate) fn shown(notification: &Notification) -> Value {
    let mut value = serde_json::to_value(notification).unwrap_or_default();
    if let Value::Object(properties) = &mut value {
        for hidden in ["mergedEventIds", "dedupeKey", "ttl"] {
            properties.remove(hidden);
        }
    }
    value
}
