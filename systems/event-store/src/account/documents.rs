//! The items of this provider, with their exact property names.
//!
//! Owns the conversion from and to events, rows and states. `pk` and `serviceId` exist here only.

use serde::{Deserialize, Serialize};
use service::timestamp::UtcTimestamp;

use crate::domain::{DomainEvent, DomainEventId, EventTag, SortableUniqueId, TagRow};
use crate::error::{Error, Result};
use crate::service_id::ServiceId;
use crate::storage::StoredProjectionState;

use super::containers::{TenantContainers, state_partition};

/// The id of the head in the partition of a tag.
pub(super) const HEAD_ID: &str = "$head";

/// An event.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventDocument {
    pub(super) id: DomainEventId,
    #[serde(default)]
    pub(super) pk: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) service_id: Option<ServiceId>,
    pub(super) sortable_unique_id: SortableUniqueId,
    pub(super) event_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) event_version: Option<u32>,
    pub(super) payload: String,
    pub(super) tags: Vec<EventTag>,
    pub(super) timestamp: UtcTimestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) causation_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) correlation_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) executed_user: Option<String>,
    #[serde(flatten)]
    pub(super) batch: AppendMark,
}

/// Which append an event belongs to. Events of other programs have none and are visible.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AppendMark {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) batch_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) batch_size: Option<usize>,
    /// Whether it is the last one: the append has happened when this event exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) commit: Option<bool>,
    /// The id of that event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) commit_event_id: Option<DomainEventId>,
}

/// What reads that do not need the whole event know of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventMark {
    pub(super) service_id: Option<ServiceId>,
    pub(super) sortable_unique_id: SortableUniqueId,
    #[serde(flatten)]
    pub(super) batch: AppendMark,
}

/// What is at the id of a committing event: the event, or the appends that must not commit any more.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CommitSlot {
    pub(super) id: DomainEventId,
    #[serde(default)]
    pub(super) pk: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) service_id: Option<ServiceId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) batch_id: Option<String>,
    /// Batches that were cancelled. Absent in an event.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) cancelled_batch_ids: Vec<String>,
}

/// A row: one event of one tag.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TagDocument {
    pub(super) id: String,
    #[serde(default)]
    pub(super) pk: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) service_id: Option<ServiceId>,
    pub(super) tag: EventTag,
    pub(super) tag_group: String,
    pub(super) event_type: String,
    pub(super) sortable_unique_id: SortableUniqueId,
    pub(super) event_id: DomainEventId,
    pub(super) created_at: UtcTimestamp,
}

/// The head of a tag: its version, and who is appending to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HeadDocument {
    pub(super) id: String,
    pub(super) pk: String,
    pub(super) service_id: ServiceId,
    pub(super) tag: EventTag,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) last_sortable_unique_id: Option<SortableUniqueId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reservation: Option<TagReservation>,
}

/// An append that is being made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TagReservation {
    pub(super) reservation_id: String,
    pub(super) event_ids: Vec<DomainEventId>,
    pub(super) commit_event_id: DomainEventId,
    pub(super) expires_at: UtcTimestamp,
}

/// A state.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StateDocument {
    pub(super) id: String,
    #[serde(default)]
    pub(super) pk: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) service_id: Option<ServiceId>,
    pub(super) partition_key: String,
    #[serde(flatten)]
    pub(super) state: StoredProjectionState,
}

/// The id and the keys of any item.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredItemKeys {
    pub(super) id: String,
    pub(super) pk: Option<String>,
    pub(super) tag: Option<String>,
    pub(super) partition_key: Option<String>,
}

/// The tenant of any item.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ItemTenant {
    pub(super) service_id: Option<String>,
}

/// The tag and the position of a row.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RowMark {
    pub(super) tag: EventTag,
    pub(super) sortable_unique_id: SortableUniqueId,
    pub(super) service_id: Option<ServiceId>,
}

impl TenantContainers {
    /// Whether an item is of this tenant. A key says so already; an item that says something else is an error for the
    /// operator, and does not exist for the caller.
    pub(super) fn owns(&self, service: Option<&ServiceId>, what: &str) -> bool {
        let is_own = match service {
            Some(service) => *service == self.service,
            // Items of single-tenant programs name no tenant.
            None => self.is_legacy,
        };
        if !is_own {
            self.foreign_items.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            tracing::error!(service_id = %self.service, found = ?service, what, "an item of another tenant was read");
        }
        is_own
    }

    pub(super) fn event_document(&self, event: &DomainEvent, batch: AppendMark) -> EventDocument {
        EventDocument {
            id: event.id,
            pk: self.event_pk(event.id),
            service_id: Some(self.service.clone()),
            sortable_unique_id: event.sortable_unique_id.clone(),
            event_type: event.event_type.clone(),
            event_version: (event.event_version != 1).then_some(event.event_version),
            payload: event.payload.to_string(),
            tags: event.tags.clone(),
            timestamp: event.timestamp,
            causation_id: event.causation_id.clone(),
            correlation_id: event.correlation_id.clone(),
            executed_user: event.executed_user.clone(),
            batch,
        }
    }

    pub(super) fn row_document(&self, row: &TagRow) -> TagDocument {
        TagDocument {
            id: row.event_id.to_string(),
            pk: self.tag_pk(&row.tag),
            service_id: Some(self.service.clone()),
            tag: row.tag.clone(),
            tag_group: row.tag.group().to_owned(),
            event_type: row.event_type.clone(),
            sortable_unique_id: row.sortable_unique_id.clone(),
            event_id: row.event_id,
            created_at: row.created_at,
        }
    }

    pub(super) fn head(&self, tag: &EventTag) -> HeadDocument {
        HeadDocument {
            id: HEAD_ID.to_owned(),
            pk: self.tag_pk(tag),
            service_id: self.service.clone(),
            tag: tag.clone(),
            last_sortable_unique_id: None,
            reservation: None,
        }
    }

    pub(super) fn state_document(&self, state: &StoredProjectionState) -> StateDocument {
        StateDocument {
            id: state.projector_version.clone(),
            pk: self.state_pk(&state.projector_name),
            service_id: Some(self.service.clone()),
            partition_key: state_partition(&state.projector_name),
            state: state.clone(),
        }
    }
}

impl EventDocument {
    pub(super) fn into_event(self) -> Result<DomainEvent> {
        let payload = serde_json::from_str(&self.payload).map_err(|error| {
            Error::corrupt(format!("the payload of event {} is no JSON: {error}", self.id))
        })?;
        Ok(DomainEvent {
            id: self.id,
            sortable_unique_id: self.sortable_unique_id,
            event_type: self.event_type,
            event_version: self.event_version.unwrap_or(1),
            payload,
            tags: self.tags,
            timestamp: self.timestamp,
            causation_id: self.causation_id,
            correlation_id: self.correlation_id,
            executed_user: self.executed_user,
        })
    }
}

impl TagDocument {
    pub(super) fn into_row(self) -> TagRow {
        TagRow {
            tag: self.tag,
            event_id: self.event_id,
            sortable_unique_id: self.sortable_unique_id,
            event_type: self.event_type,
            created_at: self.created_at,
        }
    }
}

impl CommitSlot {
    pub(super) fn is_event(&self) -> bool {
        self.cancelled_batch_ids.is_empty()
    }
}
