//! An event: something that happened, on its way to a user.
//!
//! Owns the stored form of `notification_events`. Does not own its way (`reaction`).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Category, DeviceId, EventType, Moment, TargetType, UserId, notification_id};

/// An event for one user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NotificationEvent {
    /// Its id.
    pub id: String,
    /// Who is told.
    pub user_id: UserId,
    /// What happened.
    pub event_type: EventType,
    /// Follows from the type.
    pub category: Category,
    /// Who, what, where.
    pub payload: EventPayload,
    /// How far it has come.
    pub status: EventStatus,
    /// Attempts that failed.
    pub retry_count: u32,
    /// When a failed one is due again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_retry_at: Option<Moment>,
    /// Why the last attempt failed; never with a push token in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// Events with the same one within the window become one notification. Absent, it is [`NotificationEvent::dedupe_key`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedupe_key: Option<String>,
    /// When it was taken in.
    pub created_at: Moment,
    /// When its way ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processed_at: Option<Moment>,
    /// Not before this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled_at: Option<Moment>,
    /// Who works on it, while it is processed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_owner: Option<String>,
    /// Until when; later it is free for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Moment>,
    /// Why it led to nothing, or to less than a push.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoPushReason>,
    /// The item of the in-app list it was added to; absent for its own, whose id follows from that of the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notification_id: Option<String>,
    /// What became of its pushes, one for each device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deliveries: Vec<PushRecord>,
    /// Seconds it still lives, counted from its last write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u32>,
}

/// What an event says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventPayload {
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_id: Option<String>,
    /// What they are called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_name: Option<String>,
    /// To what.
    pub target_id: String,
    /// What that is.
    pub target_type: TargetType,
    /// A few words of the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// What only this type of event has.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// How far an event has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EventStatus {
    /// Waits, until `scheduledAt` if it has one.
    Pending,
    /// Somebody works on it until `leaseUntil`.
    Processing,
    /// Done.
    Completed,
    /// The last attempt failed; due again at `nextRetryAt`, or dead when the attempts are used up.
    Failed,
    /// Done: in the list, without a push.
    RateLimited,
    /// Done: added to an earlier notification.
    Deduplicated,
}

/// Why an event led to nothing, or to less than a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoPushReason {
    /// The user switched the category off.
    CategoryOff,
    /// Quiet hours: in the list, without a push.
    QuietHours,
    /// No active device.
    NoDevice,
    /// No provider is set up for the devices.
    NotConfigured,
    /// The push is too much for its category now.
    RateLimited,
    /// No provider takes this push.
    Refused,
}

/// What became of the push to one device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PushRecord {
    /// Which device.
    pub device_id: DeviceId,
    /// What happened.
    pub result: PushState,
    /// The provider's name for the push.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
    /// What the provider said against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What became of a push, as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PushState {
    /// The provider took it.
    Delivered,
    /// No settings for the platform.
    NotConfigured,
    /// The device was revoked.
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

    /// From when on it is meant to be processed.
    #[must_use]
    pub fn due_at(&self) -> Moment {
        self.scheduled_at.unwrap_or(self.created_at)
    }

    /// The dedupe key: what was given, or type, actor and target.
    #[must_use]
    pub fn dedupe_key(&self) -> String {
        self.dedupe_key.clone().unwrap_or_else(|| {
            let actor = self.payload.actor().unwrap_or_default();
            format!("{}:{actor}:{}", self.event_type.name(), self.payload.target_id)
        })
    }

    /// The event with what is not stored because it follows from the rest: dedupe key and own notification.
    #[must_use]
    pub fn with_derived_fields(mut self) -> Self {
        self.dedupe_key = Some(self.dedupe_key());
        let is_listed = match self.status {
            EventStatus::Completed | EventStatus::RateLimited => {
                self.reason != Some(NoPushReason::CategoryOff)
            }
            EventStatus::Pending => self.reason == Some(NoPushReason::QuietHours),
            _ => false,
        };
        if is_listed {
            let own = || notification_id(&self.id);
            self.notification_id = self.notification_id.clone().or_else(|| Some(own()));
        }
        self
    }

    /// Whether it has failed for good.
    #[must_use]
    pub fn is_dead(&self, retries_max: u32) -> bool {
        self.status == EventStatus::Failed && self.retry_count >= retries_max
    }
}

impl EventStatus {
    /// All of them.
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

    /// The status of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

impl EventPayload {
    /// Whom the event counts as one actor: by id, else by name.
    #[must_use]
    pub fn actor(&self) -> Option<&str> {
        self.actor_id.as_deref().or(self.actor_name.as_deref())
    }
}

impl PushState {
    /// Whether another attempt may change it.
    #[must_use]
    pub fn is_final(self) -> bool {
        self != Self::Retry
    }
}
