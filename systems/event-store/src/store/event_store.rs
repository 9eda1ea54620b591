//! The event store of a scope.
//!
//! Owns asking for the tenant, and checking requests before a storage sees them. Does not keep the tenant: a store that
//! outlives its scope has no other one.

use std::sync::Arc;

use client::Environment;
use service::timestamp::UtcTimestamp;
use tracing::Instrument as _;

use crate::domain::{
    AppendReceipt, AppendRequest, DomainEvent, DomainEventId, EventQuery, EventRead, EventTag,
    SortableUniqueId, TagRow, TagSummary,
};
use crate::error::Result;
use crate::service_id::{ServiceId, ServiceIdProvider};
use crate::storage::{AppendSignal, DomainEventPage, EventStorage, StorageBundle, StoreActivity};

use super::{CommandContext, EventFeedReader};

/// Events of the tenant that the provider names. Clones share it.
#[derive(Clone)]
pub struct EventStore {
    storage: Arc<dyn EventStorage>,
    provider: Arc<dyn ServiceIdProvider>,
    environment: Environment,
    activity: StoreActivity,
}

impl EventStore {
    /// A store on a storage, for the tenant of a provider.
    #[must_use]
    pub fn new(storage: &StorageBundle, provider: Arc<dyn ServiceIdProvider>) -> Self {
        let (environment, activity) = (storage.environment.clone(), storage.activity.clone());
        Self { storage: Arc::clone(&storage.events), provider, environment, activity }
    }

    /// The tenant of this scope.
    ///
    /// # Errors
    /// `ServiceId` when there is none.
    pub fn service_id(&self) -> Result<ServiceId> {
        Ok(self.provider.current()?)
    }

    /// Appends events, all or none, if the condition holds.
    ///
    /// # Errors
    /// `Conflict` when the condition does not hold, `AlreadyExists` for an id that exists, `Invalid`, `TooLarge`; those
    /// of the storage.
    pub async fn append(&self, request: AppendRequest) -> Result<AppendReceipt> {
        let service = self.provider.current()?;
        let prepared = request.prepare(&self.environment)?;
        let span =
            tracing::debug_span!("append", service_id = %service, events = prepared.events.len());
        let result = self.storage.append(&service, &prepared).instrument(span).await;
        self.activity.record(&service, &prepared, &result, UtcTimestamp::now(&self.environment));
        result
    }

    /// Events of a query, in order, with what the reader has then seen.
    ///
    /// # Errors
    /// `Invalid` for an invalid query; those of the storage.
    pub async fn read(&self, read: &EventRead) -> Result<DomainEventPage> {
        let service = self.provider.current()?;
        read.query.check()?;
        let span = tracing::debug_span!("read", service_id = %service);
        self.storage.read(&service, read).instrument(span).await
    }

    /// All events after a position, at most so many.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn read_all(
        &self,
        since: Option<SortableUniqueId>,
        events_max: Option<usize>,
    ) -> Result<Vec<DomainEvent>> {
        let read = EventRead { query: EventQuery::all(), after: since, events_max };
        Ok(self.read(&read).await?.events)
    }

    /// The events of a tag after a position.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn read_by_tag(
        &self,
        tag: &EventTag,
        since: Option<SortableUniqueId>,
    ) -> Result<Vec<DomainEvent>> {
        let query = EventQuery::tag(tag.clone());
        Ok(self.read(&EventRead { query, after: since, events_max: None }).await?.events)
    }

    /// One event.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn read_event(&self, id: DomainEventId) -> Result<Option<DomainEvent>> {
        self.storage.event(&self.provider.current()?, id).await
    }

    /// The rows of a tag, in order.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn read_tags(&self, tag: &EventTag) -> Result<Vec<TagRow>> {
        self.storage.tag_rows(&self.provider.current()?, tag, None).await
    }

    /// The newest row of a tag. Its position is the version of the tag.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn latest_tag(&self, tag: &EventTag) -> Result<Option<TagRow>> {
        self.storage.latest_tag(&self.provider.current()?, tag).await
    }

    /// Whether a tag has events.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn tag_exists(&self, tag: &EventTag) -> Result<bool> {
        Ok(self.latest_tag(tag).await?.is_some())
    }

    /// All tags, or those of a group. It reads all rows of the tenant: for operators.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn all_tags(&self, group: Option<&str>) -> Result<Vec<TagSummary>> {
        self.storage.all_tags(&self.provider.current()?, group).await
    }

    /// The number of events after a position.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn event_count(&self, since: Option<&SortableUniqueId>) -> Result<u64> {
        self.storage.event_count(&self.provider.current()?, since).await
    }

    /// The greatest position.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn latest_sortable_unique_id(&self) -> Result<Option<SortableUniqueId>> {
        self.storage.latest_id(&self.provider.current()?).await
    }

    /// A reader of the feed, from its begin or after a position.
    #[must_use]
    pub fn feed(&self, after: Option<crate::domain::FeedPosition>) -> EventFeedReader {
        EventFeedReader::new(self.clone(), after)
    }

    /// A reader of the feed, from its end: of what is appended from now on.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn feed_from_end(&self) -> Result<EventFeedReader> {
        let end = self.storage.feed_end(&self.provider.current()?).await?;
        Ok(self.feed(end))
    }

    /// Begins a command: what it reads becomes the condition of what it appends.
    #[must_use]
    pub fn begin_command(&self) -> CommandContext {
        CommandContext::new(self.clone())
    }

    /// Time and randomness.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Wakes readers after appends of this process.
    #[must_use]
    pub fn signal(&self) -> &AppendSignal {
        self.storage.signal()
    }

    pub(super) fn storage(&self) -> &dyn EventStorage {
        self.storage.as_ref()
    }
}

impl std::fmt::Debug for EventStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "EventStore({:?})", self.provider)
    }
}
