//! Reading events, rows and the feed.
//!
//! Owns the order of the feed. Positions are made before their transaction commits, so a reader that goes by them would
//! leave out an event that commits late. Each event therefore has the id of its transaction, and the feed goes by that:
//! it returns only events of transactions before the oldest one that is still running anywhere in the database. A
//! transaction that runs long delays the feed; it never makes it leave out an event.

use std::collections::BTreeMap;

use deadpool_postgres::Transaction;
use service::timestamp::UtcTimestamp;
use tokio_postgres::Row;

use crate::domain::{
    DomainEvent, DomainEventId, EventQuery, EventRead, EventTag, FeedPosition, ReadPosition,
    SortableUniqueId, TagRow, TagSummary,
};
use crate::error::{Error, Result};
use crate::service_id::ServiceId;
use crate::storage::{DomainEventPage, DomainFeedPage};

use super::sql;
use super::storage::{PostgresStorage, begin, begin_read};

impl PostgresStorage {
    pub(super) async fn read_one(
        &self,
        service: &ServiceId,
        id: DomainEventId,
    ) -> Result<Option<DomainEvent>> {
        let mut connection = self.connection().await?;
        let transaction = begin(&mut connection, service).await?;
        let statement = transaction.prepare_cached(sql::EVENTS_BY_ID).await?;
        let ids = [id.to_string()];
        let rows = transaction.query(&statement, &[&service.as_str(), &ids.as_slice()]).await?;
        rows.first().map(event_of_row).transpose()
    }

    pub(super) async fn read_query(
        &self,
        service: &ServiceId,
        read: &EventRead,
    ) -> Result<DomainEventPage> {
        let mut connection = self.connection().await?;
        let transaction = begin_read(&mut connection, service).await?;
        let text = (!read.query.items.is_empty()).then(|| query_text(&read.query));
        let after = read.after.as_ref().map_or("", SortableUniqueId::as_str);
        let most = read
            .events_max
            .map_or(i64::MAX - 1, |most| i64::try_from(most).unwrap_or(i64::MAX - 1));
        let one_more = most + 1;
        let tags = read.query.guard_tags();
        let rows = match &tags {
            Some(tags) => {
                let names: Vec<&str> = tags.iter().map(EventTag::as_str).collect();
                let statement = transaction.prepare_cached(sql::EVENTS_OF_TAGS).await?;
                transaction
                    .query(&statement, &[&service.as_str(), &after, &text, &one_more, &names])
                    .await?
            }
            None => {
                let statement = transaction.prepare_cached(sql::EVENTS).await?;
                transaction
                    .query(&statement, &[&service.as_str(), &after, &text, &one_more])
                    .await?
            }
        };
        let has_more = rows.len() as i64 > most;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let events: Vec<_> = rows.iter().take(most).map(event_of_row).collect::<Result<_>>()?;
        let last = events.last().map(|event| event.sortable_unique_id.clone());
        let mut position =
            ReadPosition { last: last.clone().or(read.after.clone()), ..ReadPosition::default() };
        match tags {
            Some(tags) => {
                let tags: Vec<_> = tags.into_iter().collect();
                position.guards = guards(&transaction, service, &tags).await?;
                if has_more {
                    // What lies behind the last event of the page was not seen.
                    for version in position.guards.values_mut() {
                        *version = version.take().min(last.clone());
                    }
                }
            }
            // Only a read of everything has seen what its snapshot shows.
            None if read.after.is_none() && !has_more => {
                let statement = transaction.prepare_cached(sql::SNAPSHOT).await?;
                position.snapshot = Some(transaction.query_one(&statement, &[]).await?.try_get(0)?);
            }
            None => {}
        }
        Ok(DomainEventPage { events, position, has_more })
    }

    pub(super) async fn rows(
        &self,
        service: &ServiceId,
        tag: &EventTag,
        since: Option<&SortableUniqueId>,
    ) -> Result<Vec<TagRow>> {
        let mut connection = self.connection().await?;
        let transaction = begin(&mut connection, service).await?;
        let statement = transaction.prepare_cached(sql::ROWS).await?;
        let since = since.map_or("", SortableUniqueId::as_str);
        let rows =
            transaction.query(&statement, &[&service.as_str(), &tag.as_str(), &since]).await?;
        rows.iter().map(|row| tag_row(row, tag)).collect()
    }

    pub(super) async fn last_row(
        &self,
        service: &ServiceId,
        tag: &EventTag,
    ) -> Result<Option<TagRow>> {
        let mut connection = self.connection().await?;
        let transaction = begin(&mut connection, service).await?;
        let statement = transaction.prepare_cached(sql::LAST_ROW).await?;
        let rows = transaction.query(&statement, &[&service.as_str(), &tag.as_str()]).await?;
        rows.first().map(|row| tag_row(row, tag)).transpose()
    }

    pub(super) async fn summaries(
        &self,
        service: &ServiceId,
        group: Option<&str>,
    ) -> Result<Vec<TagSummary>> {
        let mut connection = self.connection().await?;
        let transaction = begin(&mut connection, service).await?;
        let statement = transaction.prepare_cached(sql::ALL_TAGS).await?;
        let rows = transaction.query(&statement, &[&service.as_str(), &group]).await?;
        let summary = |row: &Row| {
            let tag = EventTag::parse(row.try_get(0)?)?;
            let first = position(row.try_get(2)?)?;
            let mut summary = TagSummary::of(tag, &first);
            summary.add(&position(row.try_get(3)?)?);
            summary.event_count = u64::try_from(row.try_get::<_, i64>(1)?).unwrap_or_default();
            Ok(summary)
        };
        rows.iter().map(summary).collect()
    }

    pub(super) async fn count(
        &self,
        service: &ServiceId,
        since: Option<&SortableUniqueId>,
    ) -> Result<u64> {
        let mut connection = self.connection().await?;
        let transaction = begin(&mut connection, service).await?;
        let statement = transaction.prepare_cached(sql::COUNT).await?;
        let since = since.map_or("", SortableUniqueId::as_str);
        let row = transaction.query_one(&statement, &[&service.as_str(), &since]).await?;
        Ok(u64::try_from(row.try_get::<_, i64>(0)?).unwrap_or_default())
    }

    pub(super) async fn last_id(&self, service: &ServiceId) -> Result<Option<SortableUniqueId>> {
        let mut connection = self.connection().await?;
        let transaction = begin(&mut connection, service).await?;
        let statement = transaction.prepare_cached(sql::LAST_ID).await?;
        let row = transaction.query_one(&statement, &[&service.as_str()]).await?;
        row.try_get::<_, Option<&str>>(0)?.map(position).transpose()
    }

    pub(super) async fn read_feed(
        &self,
        service: &ServiceId,
        after: Option<&FeedPosition>,
        events_max: usize,
    ) -> Result<DomainFeedPage> {
        let wrong = || Error::invalid("this is no position of this feed");
        let (transaction_id, last) = match after {
            None => ("0", ""),
            Some(FeedPosition(text)) => {
                let (transaction_id, last) = text.split_once('.').ok_or_else(wrong)?;
                transaction_id.parse::<u64>().map_err(|_| wrong())?;
                SortableUniqueId::parse(last).map_err(|_| wrong())?;
                (transaction_id, last)
            }
        };
        let mut connection = self.connection().await?;
        let transaction = begin(&mut connection, service).await?;
        let statement = transaction.prepare_cached(sql::FEED).await?;
        let most = i64::try_from(events_max).unwrap_or(i64::MAX);
        let rows = transaction
            .query(&statement, &[&service.as_str(), &transaction_id, &last, &most])
            .await?;
        let events: Vec<_> = rows.iter().map(event_of_row).collect::<Result<_>>()?;
        let position = match (rows.last(), events.last()) {
            (Some(row), Some(event)) => {
                let transaction_id: &str = row.try_get(10)?;
                Some(FeedPosition(format!("{transaction_id}.{}", event.sortable_unique_id)))
            }
            _ => after.cloned(),
        };
        Ok(DomainFeedPage { events, position, returned_again: Vec::new() })
    }

    /// Before the oldest transaction that is still running.
    pub(super) async fn last_feed_position(&self) -> Result<FeedPosition> {
        let connection = self.connection().await?;
        let statement = connection.prepare_cached(sql::FEED_END).await?;
        let oldest: String = connection.query_one(&statement, &[]).await?.try_get(0)?;
        let oldest: u64 = oldest.parse().map_err(|_| Error::corrupt("a transaction has no id"))?;
        let last = SortableUniqueId::max();
        Ok(FeedPosition(format!("{}.{last}", oldest.saturating_sub(1))))
    }
}

/// The versions of tags, also of those without events.
async fn guards(
    transaction: &Transaction<'_>,
    service: &ServiceId,
    tags: &[EventTag],
) -> Result<BTreeMap<EventTag, Option<SortableUniqueId>>> {
    let names: Vec<&str> = tags.iter().map(EventTag::as_str).collect();
    let statement = transaction.prepare_cached(sql::TAG_VERSIONS).await?;
    let rows = transaction.query(&statement, &[&service.as_str(), &names]).await?;
    let mut guards: BTreeMap<_, _> = tags.iter().map(|tag| (tag.clone(), None)).collect();
    for row in rows {
        guards.insert(EventTag::parse(row.try_get(0)?)?, Some(position(row.try_get(1)?)?));
    }
    Ok(guards)
}

/// The items of a query as JSON.
pub(super) fn query_text(query: &EventQuery) -> String {
    // A query without items matches everything; an item without conditions does, too.
    if query.items.is_empty() {
        return r#"[{"types":[],"tags":[]}]"#.to_owned();
    }
    serde_json::json!(query.items).to_string()
}

pub(super) fn event_of_row(row: &Row) -> Result<DomainEvent> {
    let id = DomainEventId::parse(row.try_get(0)?)?;
    let json = |error: serde_json::Error| {
        Error::corrupt(format!("the event {id} cannot be read: {error}"))
    };
    Ok(DomainEvent {
        id,
        sortable_unique_id: position(row.try_get(1)?)?,
        event_type: row.try_get(2)?,
        event_version: u32::try_from(row.try_get::<_, i32>(3)?).unwrap_or(1),
        payload: serde_json::from_str(row.try_get(4)?).map_err(json)?,
        tags: serde_json::from_str(row.try_get(5)?).map_err(json)?,
        timestamp: time(row.try_get(6)?),
        causation_id: row.try_get(7)?,
        correlation_id: row.try_get(8)?,
        executed_user: row.try_get(9)?,
    })
}

fn tag_row(row: &Row, tag: &EventTag) -> Result<TagRow> {
    Ok(TagRow {
        tag: tag.clone(),
        event_id: DomainEventId::parse(row.try_get(0)?)?,
        sortable_unique_id: position(row.try_get(1)?)?,
        event_type: row.try_get(2)?,
        created_at: time(row.try_get(3)?),
    })
}

fn position(text: &str) -> Result<SortableUniqueId> {
    SortableUniqueId::parse(text).map_err(Error::corrupt)
}

pub(super) fn time(ms: i64) -> UtcTimestamp {
    UtcTimestamp::from_ms(u64::try_from(ms).unwrap_or_default())
}
