//! The narrow border of a provider.
//!
//! Every method takes the tenant as its first argument, and a provider reads and writes nothing of another one. What is
//! about several tenants is in [`AdminStorage`] and nowhere else. All providers pass the suite in `tests/it/contract`.

use std::sync::Arc;

use async_trait::async_trait;
use client::Environment;
use serde::Serialize;

use crate::domain::{
    AppendReceipt, DomainEvent, DomainEventId, EventRead, EventTag, FeedPosition, PreparedAppend,
    SortableUniqueId, TagRow, TagSummary,
};
use crate::error::Result;
use crate::service_id::ServiceId;

use super::{
    AppendSignal, DomainEventPage, DomainFeedPage, SaveMode, StoreActivity, StoredProjectionState,
};

/// Stores events.
#[async_trait]
pub trait EventStorage: Send + Sync + 'static {
    /// Appends all events of the request if its condition holds, or none.
    async fn append(&self, service: &ServiceId, append: &PreparedAppend) -> Result<AppendReceipt>;

    /// Events of a query in the order of their ids.
    async fn read(&self, service: &ServiceId, read: &EventRead) -> Result<DomainEventPage>;

    /// One event.
    async fn event(&self, service: &ServiceId, id: DomainEventId) -> Result<Option<DomainEvent>>;

    /// The rows of a tag after a position, in order.
    async fn tag_rows(
        &self,
        service: &ServiceId,
        tag: &EventTag,
        since: Option<&SortableUniqueId>,
    ) -> Result<Vec<TagRow>>;

    /// The newest row of a tag; its position is the version of the tag.
    async fn latest_tag(&self, service: &ServiceId, tag: &EventTag) -> Result<Option<TagRow>>;

    /// All tags, or those of a group, sorted.
    async fn all_tags(&self, service: &ServiceId, group: Option<&str>) -> Result<Vec<TagSummary>>;

    /// The number of events after a position.
    async fn event_count(
        &self,
        service: &ServiceId,
        since: Option<&SortableUniqueId>,
    ) -> Result<u64>;

    /// The greatest position.
    async fn latest_id(&self, service: &ServiceId) -> Result<Option<SortableUniqueId>>;

    /// Events after a position of the feed, the oldest first. A reader that goes on from the returned position gets
    /// every event at least once, also one that becomes visible late.
    async fn feed(
        &self,
        service: &ServiceId,
        after: Option<&FeedPosition>,
        events_max: usize,
    ) -> Result<DomainFeedPage>;

    /// The end of the feed: a reader that starts there gets every event that is appended from now on, and perhaps some
    /// that were appended shortly before.
    async fn feed_end(&self, service: &ServiceId) -> Result<Option<FeedPosition>>;

    /// Wakes readers after appends.
    fn signal(&self) -> &AppendSignal;
}

/// Stores states of projections.
#[async_trait]
pub trait StateStorage: Send + Sync + 'static {
    /// Saves a state under its name and version, with the next revision. `Conflict` if the mode does not allow it.
    async fn save(
        &self,
        service: &ServiceId,
        state: &StoredProjectionState,
        mode: SaveMode,
    ) -> Result<u64>;

    /// The state of a version.
    async fn state(
        &self,
        service: &ServiceId,
        name: &str,
        version: &str,
    ) -> Result<Option<StoredProjectionState>>;

    /// All states of the tenant, or those of one projector; those that were saved last first.
    async fn states(
        &self,
        service: &ServiceId,
        name: Option<&str>,
    ) -> Result<Vec<StoredProjectionState>>;

    /// Deletes a state. Whether there was one.
    async fn delete(&self, service: &ServiceId, name: &str, version: &str) -> Result<bool>;
}

/// What concerns several tenants: for operators only.
#[async_trait]
pub trait AdminStorage: Send + Sync + 'static {
    /// The tenants that have events or states, sorted.
    async fn services(&self) -> Result<Vec<ServiceId>>;

    /// Deletes everything of a tenant; returns how many events, rows of tags and states there were.
    async fn drop_service(&self, service: &ServiceId) -> Result<u64>;

    /// Finds what an interrupted append has left, and completes it unless it is a dry run.
    async fn repair(&self, is_dry_run: bool) -> Result<RepairReport>;

    /// Items of another tenant that reads of this process found and hid. Anything but zero is a defect or an attack.
    fn foreign_items(&self) -> u64 {
        0
    }
}

/// What a repair found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RepairReport {
    /// Tags that were looked at.
    pub tags_checked: u64,
    /// Tags of appends whose events are stored: their rows are completed.
    pub rolled_forward: u64,
    /// Tags of appends that have not happened: their reservations are removed.
    pub cleared: u64,
    /// Rows that were missing beside a stored event.
    pub rows_restored: u64,
}

/// One opened provider: everything that stores are made from. Clones share it.
#[derive(Clone)]
pub struct StorageBundle {
    /// Events.
    pub events: Arc<dyn EventStorage>,
    /// States of projections.
    pub states: Arc<dyn StateStorage>,
    /// What concerns several tenants.
    pub admin: Arc<dyn AdminStorage>,
    /// Where large states are kept.
    pub payloads: Arc<dyn crate::offload::PayloadStore>,
    /// Time and randomness.
    pub environment: Environment,
    /// Counters and conflicts of this process.
    pub activity: StoreActivity,
}

impl std::fmt::Debug for StorageBundle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("StorageBundle")
    }
}
