//! Appending: locks, checks, events and rows in one transaction.
//!
//! Owns the locks. Each tag of the events and of the condition is locked, in the order of the keys of the locks, so
//! that no two appends wait for each other in a circle. A condition without tags excludes all other appends of the
//! tenant.

use std::collections::{BTreeMap, BTreeSet};

use deadpool_postgres::Transaction;
use ring::digest;
use service::timestamp::UtcTimestamp;

use crate::domain::{
    AppendCondition, AppendReceipt, DomainEvent, DomainEventId, EventQuery, EventTag,
    PreparedAppend, ReadPosition, SortableUniqueId,
};
use crate::error::{Error, ErrorKind, Result, TagConflict};
use crate::service_id::ServiceId;
use crate::storage::stored_event;

use super::read::{event_of_row, query_text};
use super::sql;
use super::storage::{PostgresStorage, begin};

/// Positions of two appends without a common tag may be equal within a tick; then it is tried again.
const ATTEMPTS: u32 = 3;

impl PostgresStorage {
    pub(super) async fn append_events(
        &self,
        service: &ServiceId,
        append: &PreparedAppend,
    ) -> Result<AppendReceipt> {
        let mut attempt = 1;
        loop {
            match self.try_append(service, append).await {
                Err(error) if error.kind() == ErrorKind::Conflict && is_unique(&error) => {
                    // An id that exists, or a position. The first is found by looking, the second by trying again.
                    if let Some(receipt) = self.repeated(service, append).await? {
                        return Ok(receipt);
                    }
                    if attempt == ATTEMPTS {
                        return Err(error);
                    }
                    attempt += 1;
                }
                other => return other,
            }
        }
    }

    async fn repeated(
        &self,
        service: &ServiceId,
        append: &PreparedAppend,
    ) -> Result<Option<AppendReceipt>> {
        let mut connection = self.connection().await?;
        let transaction = begin(&mut connection, service).await?;
        earlier(&transaction, service, append).await
    }

    async fn try_append(
        &self,
        service: &ServiceId,
        append: &PreparedAppend,
    ) -> Result<AppendReceipt> {
        let mut connection = self.connection().await?;
        let transaction = begin(&mut connection, service).await?;
        let tags = lock(&transaction, service, append).await?;
        let has_chosen_ids = append.events.iter().any(|event| event.draft.id.is_some());
        // Under the locks of its tags, but a repeat without tags has none: then the unique index finds it.
        if (append.is_repeatable || has_chosen_ids)
            && let Some(receipt) = earlier(&transaction, service, append).await?
        {
            return Ok(receipt);
        }
        let versions = versions(&transaction, service, &tags).await?;
        check(&transaction, service, &append.condition, &versions).await?;
        let seen = match &append.condition {
            AppendCondition::Query { after, .. } => after.as_ref().and_then(ReadPosition::last),
            AppendCondition::None | AppendCondition::Tags(_) => None,
        };
        let mut floor = versions.values().chain(seen).max().cloned();
        let now = UtcTimestamp::now(self.environment());
        let mut events = Vec::new();
        for event in &append.events {
            let position = self.ids().next_after(floor.as_ref());
            floor = Some(position.clone());
            events.push(stored_event(event, position, now));
        }
        insert(&transaction, service, &events, now).await?;
        let notify = transaction.prepare_cached(sql::NOTIFY).await?;
        transaction.execute(&notify, &[&service.as_str()]).await?;
        transaction.commit().await?;
        let positions: Vec<_> = events.into_iter().map(|event| event.sortable_unique_id).collect();
        Ok(append.receipt(&positions, false))
    }
}

fn is_unique(error: &Error) -> bool {
    let source = std::error::Error::source(error);
    let source = source.and_then(|source| source.downcast_ref::<tokio_postgres::Error>());
    source.and_then(tokio_postgres::Error::code).is_some_and(|state| state.code() == "23505")
}

/// Locks the tags of the append; returns them.
async fn lock(
    transaction: &Transaction<'_>,
    service: &ServiceId,
    append: &PreparedAppend,
) -> Result<Vec<EventTag>> {
    let mut tags = append.event_tags();
    let mut is_exclusive = false;
    match &append.condition {
        AppendCondition::None => {}
        AppendCondition::Tags(expected) => tags.extend(expected.keys().cloned()),
        AppendCondition::Query { fail_if_events_match, .. } => {
            match fail_if_events_match.guard_tags() {
                Some(guards) => tags.extend(guards),
                None => is_exclusive = true,
            }
        }
    }
    let tenant = if is_exclusive { sql::LOCK_TENANT } else { sql::LOCK_TENANT_SHARED };
    let tenant = transaction.prepare_cached(tenant).await?;
    transaction.query(&tenant, &[&lock_key(service, "")]).await?;
    let keys: BTreeSet<i64> = tags.iter().map(|tag| lock_key(service, tag.as_str())).collect();
    let keys: Vec<i64> = keys.into_iter().collect();
    let lock = transaction.prepare_cached(sql::LOCK_TAGS).await?;
    transaction.query(&lock, &[&keys]).await?;
    Ok(tags.into_iter().collect())
}

/// The key of the lock of a tag. Two tags with one key only wait for each other.
fn lock_key(service: &ServiceId, tag: &str) -> i64 {
    let digest = digest::digest(&digest::SHA256, format!("{service}|{tag}").as_bytes());
    digest.as_ref().iter().take(8).fold(0, |key, byte| (key << 8) | i64::from(*byte))
}

/// The receipt of an earlier attempt under the same ids.
async fn earlier(
    transaction: &Transaction<'_>,
    service: &ServiceId,
    append: &PreparedAppend,
) -> Result<Option<AppendReceipt>> {
    let ids: Vec<String> = append.events.iter().map(|event| event.id.to_string()).collect();
    let statement = transaction.prepare_cached(sql::EVENTS_BY_ID).await?;
    let rows = transaction.query(&statement, &[&service.as_str(), &ids]).await?;
    let mut stored: BTreeMap<DomainEventId, DomainEvent> = BTreeMap::new();
    for row in &rows {
        let event = event_of_row(row)?;
        stored.insert(event.id, event);
    }
    if stored.is_empty() {
        return Ok(None);
    }
    let mut positions = Vec::new();
    for event in &append.events {
        match stored.get(&event.id) {
            Some(stored) if append.is_repeatable && stored.has_content_of(&event.draft) => {
                positions.push(stored.sortable_unique_id.clone());
            }
            _ => return Err(PreparedAppend::exists(event.id)),
        }
    }
    Ok(Some(append.receipt(&positions, true)))
}

async fn versions(
    transaction: &Transaction<'_>,
    service: &ServiceId,
    tags: &[EventTag],
) -> Result<BTreeMap<EventTag, SortableUniqueId>> {
    let names: Vec<&str> = tags.iter().map(EventTag::as_str).collect();
    let statement = transaction.prepare_cached(sql::TAG_VERSIONS).await?;
    let rows = transaction.query(&statement, &[&service.as_str(), &names]).await?;
    let mut versions = BTreeMap::new();
    for row in rows {
        let id = SortableUniqueId::parse(row.try_get(1)?).map_err(Error::corrupt)?;
        versions.insert(EventTag::parse(row.try_get(0)?)?, id);
    }
    Ok(versions)
}

async fn check(
    transaction: &Transaction<'_>,
    service: &ServiceId,
    condition: &AppendCondition,
    versions: &BTreeMap<EventTag, SortableUniqueId>,
) -> Result<()> {
    match condition {
        AppendCondition::None => Ok(()),
        AppendCondition::Tags(expected) => {
            let wrong = expected.iter().filter(|(tag, id)| versions.get(*tag) != id.as_ref());
            let conflicts: Vec<_> = wrong
                .map(|(tag, expected)| TagConflict {
                    tag: tag.clone(),
                    expected: expected.clone(),
                    actual: versions.get(tag).cloned(),
                })
                .collect();
            if conflicts.is_empty() { Ok(()) } else { Err(Error::tag_conflict(conflicts)) }
        }
        AppendCondition::Query { fail_if_events_match, after } => {
            check_query(transaction, service, fail_if_events_match, after.as_ref()).await
        }
    }
}

async fn check_query(
    transaction: &Transaction<'_>,
    service: &ServiceId,
    query: &EventQuery,
    after: Option<&ReadPosition>,
) -> Result<()> {
    let service = service.as_str();
    let text = query_text(query);
    let last = after.and_then(ReadPosition::last).map_or("", SortableUniqueId::as_str);
    let snapshot = after.and_then(|after| after.snapshot.as_deref());
    let found = match (query.guard_tags(), snapshot) {
        (Some(tags), _) => {
            let mut guards: (Vec<String>, Vec<String>) = Default::default();
            for tag in tags {
                let version = match after.and_then(|after| after.guards.get(&tag)) {
                    Some(version) => version.as_ref().map_or("", SortableUniqueId::as_str),
                    None => last,
                };
                guards.1.push(version.to_owned());
                guards.0.push(tag.into());
            }
            let statement = transaction.prepare_cached(sql::CONFLICT_IN_TAGS).await?;
            transaction.query(&statement, &[&service, &text, &guards.0, &guards.1]).await?
        }
        (None, Some(snapshot)) => {
            let statement = transaction.prepare_cached(sql::CONFLICT_BY_SNAPSHOT).await?;
            transaction.query(&statement, &[&service, &text, &snapshot]).await?
        }
        (None, None) => {
            let statement = transaction.prepare_cached(sql::CONFLICT_AFTER).await?;
            transaction.query(&statement, &[&service, &text, &last]).await?
        }
    };
    match found.first() {
        Some(row) => Err(Error::query_conflict(row.try_get(0)?)),
        None => Ok(()),
    }
}

async fn insert(
    transaction: &Transaction<'_>,
    service: &ServiceId,
    events: &[DomainEvent],
    now: UtcTimestamp,
) -> Result<()> {
    let service = service.as_str();
    let ids: Vec<String> = events.iter().map(|event| event.id.to_string()).collect();
    let positions: Vec<&str> = events.iter().map(|one| one.sortable_unique_id.as_str()).collect();
    let types: Vec<&str> = events.iter().map(|event| event.event_type.as_str()).collect();
    let number = |event: &DomainEvent| i32::try_from(event.event_version).unwrap_or(i32::MAX);
    let numbers: Vec<i32> = events.iter().map(number).collect();
    let payloads: Vec<String> = events.iter().map(|event| event.payload.to_string()).collect();
    let tags: Vec<String> =
        events.iter().map(|event| serde_json::json!(event.tags).to_string()).collect();
    let causations: Vec<Option<&str>> =
        events.iter().map(|event| event.causation_id.as_deref()).collect();
    let correlations: Vec<Option<&str>> =
        events.iter().map(|event| event.correlation_id.as_deref()).collect();
    let users: Vec<Option<&str>> =
        events.iter().map(|event| event.executed_user.as_deref()).collect();
    let statement = transaction.prepare_cached(sql::INSERT_EVENTS).await?;
    let now = ms(now);
    transaction
        .execute(
            &statement,
            &[
                &service,
                &now,
                &ids,
                &positions,
                &types,
                &numbers,
                &payloads,
                &tags,
                &causations,
                &correlations,
                &users,
            ],
        )
        .await?;
    let rows: Vec<(&EventTag, &DomainEvent)> =
        events.iter().flat_map(|event| event.tags.iter().map(move |tag| (tag, event))).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let tags: Vec<&str> = rows.iter().map(|(tag, _)| tag.as_str()).collect();
    let types: Vec<&str> = rows.iter().map(|(_, event)| event.event_type.as_str()).collect();
    let positions: Vec<&str> =
        rows.iter().map(|(_, event)| event.sortable_unique_id.as_str()).collect();
    let ids: Vec<String> = rows.iter().map(|(_, event)| event.id.to_string()).collect();
    let times: Vec<i64> =
        rows.iter().map(|(_, event)| ms(event.sortable_unique_id.time())).collect();
    let statement = transaction.prepare_cached(sql::INSERT_ROWS).await?;
    transaction.execute(&statement, &[&service, &tags, &types, &positions, &ids, &times]).await?;
    Ok(())
}

pub(super) fn ms(time: UtcTimestamp) -> i64 {
    i64::try_from(time.ms()).unwrap_or(i64::MAX)
}
