//! An event: something happened that a user is to be notified of.
//!
//! Owns the stored form of `notification_events`. Does not own its processing (`reaction`) nor its state as work of a
//! queue (`queue`).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Category, DeviceId, EventType, TargetType, UserId, UtcTimestamp, notification_id};

/// An event for one user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Event)]
pub struct NotificationEvent {
    /// Its id.
    pub id: String,
    /// The user to notify.
    #[schema(value_type = String)]
    pub user_id: UserId,
    /// What happened.
    pub event_type: EventType,
    /// The category of the type.
    pub category: Category,
    /// Who did what to what.
    pub payload: EventPayload,
    /// Where it is in its processing.
    pub status: EventStatus,
    /// Attempts that failed.
    pub retry_count: u32,
    /// When a failed event is tried again; absent for a dead one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub next_retry_at: Option<UtcTimestamp>,
    /// Why the last attempt failed. It never holds a push token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// Events with the same key within the dedupe window become one notification. [`NotificationEvent::dedupe_key`] is
    /// the key if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedupe_key: Option<String>,
    /// When it was created.
    #[schema(value_type = String)]
    pub created_at: UtcTimestamp,
    /// When it got its final status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub processed_at: Option<UtcTimestamp>,
    /// It is not processed before this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub scheduled_at: Option<UtcTimestamp>,
    /// The claim of the worker that processes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_owner: Option<String>,
    /// When the lease of that claim expires and another worker may take over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub lease_until: Option<UtcTimestamp>,
    /// Why it was not pushed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoPushReason>,
    /// The notification it was merged into. Absent for its own, whose id is derived from the event's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notification_id: Option<String>,
    /// The result of its push to each device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deliveries: Vec<PushRecord>,
    /// Time to live in seconds, counted from its last write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u32>,
}

/// The content of an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Payload)]
pub struct EventPayload {
    /// Id of who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_id: Option<String>,
    /// Name of who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_name: Option<String>,
    /// Id of what it was done to.
    pub target_id: String,
    /// Type of what it was done to.
    pub target_type: TargetType,
    /// A few words of the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// Further properties, which templates can use.
    #[serde(flatten)]
    #[schema(ignore)]
    pub extra: Map<String, Value>,
}

/// Where an event is in its processing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = Status)]
pub enum EventStatus {
    /// Waiting, until `scheduledAt` if it has one.
    Pending,
    /// Claimed by a worker until `leaseUntil`.
    Processing,
    /// Done.
    Completed,
    /// The last attempt failed. It is tried again at `nextRetryAt`, or is dead when its attempts are spent.
    Failed,
    /// Done: in the list, not pushed because of the rate limit.
    RateLimited,
    /// Done: merged into an earlier notification.
    Deduplicated,
}

/// Why an event was not pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Reason)]
pub enum NoPushReason {
    /// The user switched the category off. It is not in the list either.
    CategoryOff,
    /// The user had quiet hours.
    QuietHours,
    /// The user had no active device.
    NoDevice,
    /// No provider is configured for any of the devices.
    NotConfigured,
    /// The user had as many pushes of the category as the rate limit allows.
    RateLimited,
    /// The providers refused it for all devices.
    Refused,
}

/// The result of the push to one device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PushRecord {
    /// The device.
    #[schema(value_type = String)]
    pub device_id: DeviceId,
    /// The result.
    pub result: PushState,
    /// The provider's id of the push.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
    /// The error of the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The result of a push, as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PushState {
    /// The provider accepted it.
    Delivered,
    /// The provider is not configured.
    NotConfigured,
    /// The provider no longer accepts the token. The device was revoked.
    InvalidToken,
    /// It will be tried again.
    Retry,
    /// It will not be tried again.
    Permanent,
}

impl NotificationEvent {
    /// Its partition key.
    #[must_use]
    pub fn partition_key(&self) -> client::PartitionKey {
        self.user_id.partition_key()
    }

    /// When it is meant to be processed.
    #[must_use]
    pub fn due_at(&self) -> UtcTimestamp {
        self.scheduled_at.unwrap_or(self.created_at)
    }

    /// The dedupe key: the one it was sent with, or type, actor and target.
    #[must_use]
    pub fn dedupe_key(&self) -> String {
        self.dedupe_key.clone().unwrap_or_else(|| {
            let actor = self.payload.actor().unwrap_or_default();
            format!("{}:{actor}:{}", self.event_type.name(), self.payload.target_id)
        })
    }

    /// The event with the properties that are not stored because they follow from others: the dedupe key and the id of
    /// its own notification.
    #[must_use]
    pub fn with_derived_fields(mut self) -> Self {
        self.dedupe_key = Some(self.dedupe_key());
        let is_listed = match self.status {
            EventStatus::Completed | EventStatus::RateLimited => {
                self.reason != Some(NoPushReason::CategoryOff)
            }
            // It waits for the end of the quiet hours with its push, but is in the list already.
            EventStatus::Pending => self.reason == Some(NoPushReason::QuietHours),
            _ => false,
        };
        if is_listed {
            let own = || notification_id(&self.id);
            self.notification_id = self.notification_id.clone().or_else(|| Some(own()));
        }
        self
    }

    /// Whether it has failed and its attempts are spent.
    #[must_use]
    pub fn is_dead(&self, retries_max: u32) -> bool {
        self.status == EventStatus::Failed && self.retry_count >= retries_max
    }
}

impl EventStatus {
    /// All statuses.
    pub const ALL: [Self; 6] = [
        Self::Pending,
        Self::Processing,
        Self::Completed,
        Self::Failed,
        Self::RateLimited,
        Self::Deduplicated,
    ];

    /// The stored name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Processing => "PROCESSING",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::RateLimited => "RATE_LIMITED",
            Self::Deduplicated => "DEDUPLICATED",
        }
    }

    /// The status with this stored name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

impl EventPayload {
    /// Who did it: the id, or the name if there is none.
    #[must_use]
    pub fn actor(&self) -> Option<&str> {
        self.actor_id.as_deref().or(self.actor_name.as_deref())
    }
}

impl PushState {
    /// Whether another attempt leaves the device out.
    #[must_use]
    pub fn is_final(self) -> bool {
        self != Self::Retry
    }
}
