//! Reading events: by id, by tags, all.
//!
//! Owns which calls a read makes: point reads, queries within one tag, and one query over all partitions for reads that
//! name no tag. Readers of a tag settle an interrupted append whose reservation has expired, so that they see what a
//! read of all events sees.

use std::collections::{BTreeMap, BTreeSet};

use client::{ErrorKind as AccountErrorKind, Item, QueryPageOptions};
use service::timestamp::UtcTimestamp;

use crate::domain::{
    DomainEvent, DomainEventId, EventRead, EventTag, ReadPosition, SortableUniqueId, TagRow,
};
use crate::error::{Error, Result};
use crate::storage::DomainEventPage;

use super::containers::TenantContainers;
use super::documents::{EventDocument, EventMark, TagDocument};
use super::settle::{read_head, settle_reservation};
use super::storage::AccountStorage;
use super::visibility::Visibility;

/// Point reads of one request.
const READ_MANY_MAX: usize = 100;

impl AccountStorage {
    pub(super) async fn read_one(
        &self,
        tenant: &TenantContainers,
        id: DomainEventId,
    ) -> Result<Option<DomainEvent>> {
        let (key, text) = (tenant.event_key(id), id.to_string());
        let found = match tenant.events.read::<serde_json::Value>(&key, &text).await {
            Ok(found) => found.value,
            Err(error) if error.kind() == AccountErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        // At the id of an event that was never committed there may be a note.
        if found.value.get("cancelledBatchIds").is_some() {
            return Ok(None);
        }
        let event: EventDocument = typed(&found)?;
        if !tenant.owns(event.service_id.as_ref(), "event") {
            return Ok(None);
        }
        let is_visible = Visibility::new(tenant).check_visible(&event.batch).await?;
        if is_visible { event.into_event().map(Some) } else { Ok(None) }
    }

    /// Events by id, in the order of their positions.
    pub(super) async fn read_events(
        &self,
        tenant: &TenantContainers,
        ids: &[DomainEventId],
    ) -> Result<Vec<DomainEvent>> {
        let mut events = Vec::new();
        for chunk in ids.chunks(READ_MANY_MAX) {
            let texts: Vec<_> = chunk.iter().map(|id| (*id, id.to_string())).collect();
            let keys: Vec<_> =
                texts.iter().map(|(id, text)| (tenant.event_key(*id), text.as_str())).collect();
            let found = tenant.events.read_many::<EventDocument>(&keys).await?.value;
            if found.len() != chunk.len() {
                let message = format!(
                    "{} of {} events of a tag are missing",
                    chunk.len() - found.len(),
                    chunk.len()
                );
                return Err(Error::corrupt(message));
            }
            for event in found {
                let event = event.into_value();
                if tenant.owns(event.service_id.as_ref(), "event") {
                    events.push(event.into_event()?);
                }
            }
        }
        events.sort_by(|one, other| one.sortable_unique_id.cmp(&other.sortable_unique_id));
        Ok(events)
    }

    /// The rows of a tag after a position, at most so many.
    pub(super) async fn rows(
        &self,
        tenant: &TenantContainers,
        tag: &EventTag,
        since: Option<&SortableUniqueId>,
        rows_max: Option<usize>,
    ) -> Result<Vec<TagRow>> {
        let query = tenant.tag_rows(tag, since);
        let mut rows = Vec::new();
        let mut continuation = None;
        loop {
            let left = rows_max.map_or(usize::MAX, |most| most - rows.len());
            let options = QueryPageOptions {
                rows_max: Some(left.min(1_000)),
                continuation,
                ..QueryPageOptions::default()
            };
            let page = tenant.tags.query_page::<TagDocument>(&query, options).await?.value;
            let own = page.rows.into_iter();
            let own = own.filter(|row| tenant.owns(row.service_id.as_ref(), "row"));
            rows.extend(own.map(TagDocument::into_row).take(left));
            continuation = page.continuation;
            if continuation.is_none() || rows_max.is_some_and(|most| rows.len() >= most) {
                return Ok(rows);
            }
        }
    }

    /// Settles an append to this tag that was interrupted.
    pub(super) async fn settle_expired(
        &self,
        tenant: &TenantContainers,
        tag: &EventTag,
    ) -> Result<()> {
        let Some((head, etag)) = read_head(tenant, tag).await? else { return Ok(()) };
        let now = UtcTimestamp::now(self.environment());
        if let Some(held) = head.reservation.as_ref().filter(|held| held.expires_at <= now) {
            settle_reservation(tenant, tag, &head, etag.as_ref(), held).await?;
        }
        Ok(())
    }

    /// The last row of a tag.
    pub(super) async fn latest_row(
        &self,
        tenant: &TenantContainers,
        tag: &EventTag,
    ) -> Result<Option<TagRow>> {
        self.settle_expired(tenant, tag).await?;
        let rows = tenant.tags.query::<TagDocument>(&tenant.last_row(tag)).await?.value;
        let own = rows.into_iter().find(|row| tenant.owns(row.service_id.as_ref(), "row"));
        Ok(own.map(TagDocument::into_row))
    }

    pub(super) async fn read_query(
        &self,
        tenant: &TenantContainers,
        read: &EventRead,
    ) -> Result<DomainEventPage> {
        match read.query.guard_tags() {
            Some(tags) => self.read_tagged(tenant, read, &tags).await,
            None => self.read_everything(tenant, read).await,
        }
    }

    /// Events of a query whose items all have tags: the rows of one tag of each item, then their events.
    async fn read_tagged(
        &self,
        tenant: &TenantContainers,
        read: &EventRead,
        tags: &BTreeSet<EventTag>,
    ) -> Result<DomainEventPage> {
        let after = read.after.as_ref();
        // If every row is an event of the result, no more rows than events have to be read.
        let is_exact = read.query.items.len() == 1
            && read.query.items.iter().all(|item| item.types.is_empty() && item.tags.len() == 1);
        let rows_max = if is_exact { read.events_max.map(|most| most + 1) } else { None };
        let mut rows = BTreeMap::new();
        let mut guards: BTreeMap<EventTag, Option<SortableUniqueId>> = BTreeMap::new();
        for tag in tags {
            self.settle_expired(tenant, tag).await?;
            let found = self.rows(tenant, tag, after, rows_max).await?;
            let last = found.last().map(|row| row.sortable_unique_id.clone());
            guards.insert(tag.clone(), last.or_else(|| after.cloned()));
            rows.extend(found.into_iter().map(|row| (row.sortable_unique_id, row.event_id)));
        }
        let most = read.events_max.unwrap_or(usize::MAX);
        let ids: Vec<_> = rows.into_values().collect();
        let mut events = Vec::new();
        for chunk in ids.chunks(READ_MANY_MAX) {
            let found = self.read_events(tenant, chunk).await?;
            events.extend(found.into_iter().filter(|event| read.query.matches(event)));
            if events.len() > most {
                break;
            }
        }
        let has_more = events.len() > most;
        events.truncate(most);
        let last = events.last().map(|event| event.sortable_unique_id.clone());
        if has_more {
            // What lies behind the last event of the page was not seen.
            for version in guards.values_mut() {
                *version = version.take().min(last.clone());
            }
        }
        let position =
            ReadPosition { last: last.or_else(|| read.after.clone()), guards, snapshot: None };
        Ok(DomainEventPage { events, position, has_more })
    }

    /// The number of events after a position. Clients of an account cannot sum over partitions, so marks are counted,
    /// page by page.
    pub(super) async fn count_events(
        &self,
        tenant: &TenantContainers,
        since: Option<&SortableUniqueId>,
    ) -> Result<u64> {
        let query = tenant.event_marks(since);
        let mut visibility = Visibility::new(tenant);
        let (mut count, mut continuation) = (0, None);
        loop {
            let options = QueryPageOptions { continuation, ..QueryPageOptions::default() };
            let page = tenant.events.query_page::<EventMark>(&query, options).await?.value;
            for mark in page.rows {
                let is_own = tenant.owns(mark.service_id.as_ref(), "event");
                count += u64::from(is_own && visibility.check_visible(&mark.batch).await?);
            }
            continuation = page.continuation;
            if continuation.is_none() {
                return Ok(count);
            }
        }
    }

    async fn read_everything(
        &self,
        tenant: &TenantContainers,
        read: &EventRead,
    ) -> Result<DomainEventPage> {
        let most = read.events_max.unwrap_or(usize::MAX);
        let query = tenant.all_events(read.after.as_ref());
        let mut visibility = Visibility::new(tenant);
        let mut events = Vec::new();
        let mut continuation = None;
        loop {
            let page_events = most.saturating_add(1).min(self.options().page_events.max(1));
            let options = QueryPageOptions {
                rows_max: Some(page_events),
                continuation,
                ..QueryPageOptions::default()
            };
            let page = tenant.events.query_page::<EventDocument>(&query, options).await?.value;
            for event in page.rows {
                let is_own = tenant.owns(event.service_id.as_ref(), "event");
                if is_own && visibility.check_visible(&event.batch).await? {
                    let event = event.into_event()?;
                    if read.query.matches(&event) {
                        events.push(event);
                    }
                }
            }
            continuation = page.continuation;
            if continuation.is_none() || events.len() > most {
                break;
            }
        }
        let has_more = events.len() > most;
        events.truncate(most);
        let last = events.last().map(|event| event.sortable_unique_id.clone());
        let position =
            ReadPosition { last: last.or_else(|| read.after.clone()), ..ReadPosition::default() };
        Ok(DomainEventPage { events, position, has_more })
    }
}

fn typed(item: &Item<serde_json::Value>) -> Result<EventDocument> {
    serde_json::from_slice(item.text())
        .map_err(|error| Error::corrupt(format!("a stored event cannot be read: {error}")))
}
