//! Appending: reserve, check, write, commit, complete.
//!
//! | stopped | what is left | who goes on |
//! |---|---|---|
//! | while reserving | reservations | the next writer or reader of the tag cancels the append after they expire |
//! | while writing events | reservations, hidden events | the same; the events stay hidden |
//! | after the last event | visible events, reservations | the next one of a tag completes its rows and head |
//! | while completing | rows of some tags | the same, for the other tags |
//!
//! Positions are made after all tags are reserved and lie behind the versions of all of them: in one tag the order of
//! positions is the order of appends, whatever the clocks of writers say.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::stream::{self, StreamExt, TryStreamExt};
use service::timestamp::UtcTimestamp;

use crate::domain::{
    AppendCondition, AppendReceipt, DomainEvent, DomainEventId, EventQuery, EventTag,
    PreparedAppend, ReadPosition, SortableUniqueId,
};
use crate::error::{Error, ErrorKind, Result, TagConflict};
use crate::storage::{row_of, stored_event};

use super::containers::TenantContainers;
use super::documents::{AppendMark, EventDocument, TagDocument, TagReservation};
use super::reserve::{ReservedTag, release, reserve_all};
use super::settle::{BatchOutcome, commit, finish, is_lost_race, settle};
use super::storage::AccountStorage;

impl AccountStorage {
    pub(super) async fn append_events(
        &self,
        tenant: &TenantContainers,
        append: &PreparedAppend,
    ) -> Result<AppendReceipt> {
        if let Some(receipt) = self.earlier(tenant, append).await? {
            return Ok(receipt);
        }
        let locked = locked_tags(append)?;
        let reservation = self.reservation(append)?;
        let reserved = reserve_all(tenant, self.environment(), &locked, &reservation).await?;
        let events = match self.decide(tenant, append, &reserved).await {
            Ok(events) => events,
            Err(error) => {
                // Nothing was written, so nobody can commit it.
                release(tenant, &reserved).await;
                return self.repeat_or(tenant, append, error).await;
            }
        };
        if let Err(error) = self.write(tenant, &reservation, &events).await {
            // A write whose answer was lost may have committed it. Settling says whether, and prevents it if not.
            let commit = reservation.commit_event_id;
            match settle(tenant, &reservation.reservation_id, commit).await {
                Ok(BatchOutcome::Committed) => {}
                Ok(BatchOutcome::Cancelled) => {
                    release(tenant, &reserved).await;
                    return self.repeat_or(tenant, append, error).await;
                }
                Err(_) => return Err(error),
            }
        }
        self.complete(tenant, &reserved, &events).await;
        self.signal_append();
        let positions: Vec<_> = events.into_iter().map(|event| event.sortable_unique_id).collect();
        Ok(append.receipt(&positions, false))
    }

    /// The receipt of an attempt under the same key that was faster, or the error.
    async fn repeat_or(
        &self,
        tenant: &TenantContainers,
        append: &PreparedAppend,
        error: Error,
    ) -> Result<AppendReceipt> {
        if !append.is_repeatable {
            return Err(error);
        }
        self.earlier(tenant, append).await?.ok_or(error)
    }

    /// The receipt of an earlier attempt under the same ids.
    async fn earlier(
        &self,
        tenant: &TenantContainers,
        append: &PreparedAppend,
    ) -> Result<Option<AppendReceipt>> {
        let has_chosen_ids = append.events.iter().any(|event| event.draft.id.is_some());
        // Random ids are new.
        if !append.is_repeatable && !has_chosen_ids {
            return Ok(None);
        }
        let mut positions = Vec::new();
        for event in &append.events {
            let Some(stored) = self.read_one(tenant, event.id).await? else { continue };
            if !append.is_repeatable || !stored.has_content_of(&event.draft) {
                return Err(PreparedAppend::exists(event.id));
            }
            positions.push(stored.sortable_unique_id);
        }
        match (positions.len(), append.events.first()) {
            (0, _) => Ok(None),
            (all, _) if all == append.events.len() => Ok(Some(append.receipt(&positions, true))),
            (_, Some(first)) => Err(PreparedAppend::exists(first.id)),
            (_, None) => Ok(None),
        }
    }

    fn reservation(&self, append: &PreparedAppend) -> Result<TagReservation> {
        let event_ids: Vec<_> = append.events.iter().map(|event| event.id).collect();
        let commit_event_id =
            *event_ids.last().ok_or_else(|| Error::internal("an append has at least one event"))?;
        let lives = Duration::from_secs(self.options().reservation_seconds);
        Ok(TagReservation {
            reservation_id: DomainEventId::random(self.environment()).to_string(),
            event_ids,
            commit_event_id,
            expires_at: UtcTimestamp::now(self.environment()).after(lives),
        })
    }

    /// Checks the condition and gives every event its position.
    async fn decide(
        &self,
        tenant: &TenantContainers,
        append: &PreparedAppend,
        reserved: &[ReservedTag],
    ) -> Result<Vec<DomainEvent>> {
        self.check(tenant, &append.condition, reserved).await?;
        let versions = reserved.iter().filter_map(|one| one.head.last_sortable_unique_id.as_ref());
        let seen = match &append.condition {
            AppendCondition::Query { after, .. } => after.as_ref().and_then(ReadPosition::last),
            AppendCondition::None | AppendCondition::Tags(_) => None,
        };
        let mut floor = versions.chain(seen).max().cloned();
        let now = UtcTimestamp::now(self.environment());
        let mut events = Vec::new();
        for event in &append.events {
            let position = self.ids().next_after(floor.as_ref());
            floor = Some(position.clone());
            events.push(stored_event(event, position, now));
        }
        Ok(events)
    }

    /// Writes the events; the last one commits.
    async fn write(
        &self,
        tenant: &TenantContainers,
        reservation: &TagReservation,
        events: &[DomainEvent],
    ) -> Result<()> {
        let size = events.len();
        let document = |event: &DomainEvent| {
            let is_last = event.id == reservation.commit_event_id;
            let batch = AppendMark {
                batch_id: Some(reservation.reservation_id.clone()),
                batch_size: Some(size),
                commit: Some(is_last),
                commit_event_id: Some(reservation.commit_event_id),
            };
            tenant.event_document(event, batch)
        };
        let documents: Vec<_> = events.iter().map(document).collect();
        let (last, first) =
            documents.split_last().ok_or_else(|| Error::internal("an append has an event"))?;
        let writes: Vec<_> = first.iter().map(|event| write_uncommitted(tenant, event)).collect();
        stream::iter(writes)
            .buffer_unordered(self.options().concurrent_event_writes.max(1))
            .try_collect::<Vec<()>>()
            .await?;
        self.check_window(last)?;
        match commit(tenant, last).await? {
            BatchOutcome::Committed => Ok(()),
            BatchOutcome::Cancelled => {
                let message = "the append took longer than its reservation, and others went on";
                Err(Error::new(ErrorKind::Conflict, message))
            }
        }
    }

    /// Gives up when half of the safe window has passed since the positions were made: readers of the feed rely on it.
    fn check_window(&self, last: &EventDocument) -> Result<()> {
        let half = Duration::from_secs(self.options().safe_window_seconds) / 2;
        if UtcTimestamp::now(self.environment()).since(last.timestamp) <= half {
            return Ok(());
        }
        Err(Error::unavailable(
            "the events took too long to write; nothing was appended, try again",
        ))
    }

    async fn check(
        &self,
        tenant: &TenantContainers,
        condition: &AppendCondition,
        reserved: &[ReservedTag],
    ) -> Result<()> {
        match condition {
            AppendCondition::None => Ok(()),
            AppendCondition::Tags(expected) => {
                let versions: BTreeMap<_, _> = reserved
                    .iter()
                    .map(|one| (&one.tag, one.head.last_sortable_unique_id.as_ref()))
                    .collect();
                let mut conflicts = Vec::new();
                for (tag, expected) in expected {
                    let actual = versions.get(tag).copied().flatten();
                    if actual != expected.as_ref() {
                        conflicts.push(TagConflict {
                            tag: tag.clone(),
                            expected: expected.clone(),
                            actual: actual.cloned(),
                        });
                    }
                }
                if conflicts.is_empty() { Ok(()) } else { Err(Error::tag_conflict(conflicts)) }
            }
            AppendCondition::Query { fail_if_events_match, after } => {
                self.check_query(tenant, fail_if_events_match, after.as_ref()).await
            }
        }
    }

    /// Whether an event of the guarding tags matches, after what was seen of each of them.
    async fn check_query(
        &self,
        tenant: &TenantContainers,
        query: &EventQuery,
        after: Option<&ReadPosition>,
    ) -> Result<()> {
        let mut ids = BTreeSet::new();
        for tag in query.guard_tags().ok_or_else(unguarded)? {
            let since: Option<&SortableUniqueId> = match after {
                None => None,
                Some(position) => match position.guards.get(&tag) {
                    Some(version) => version.as_ref(),
                    None => position.last(),
                },
            };
            for row in self.rows(tenant, &tag, since, None).await? {
                ids.insert(row.event_id);
            }
        }
        let ids: Vec<_> = ids.into_iter().collect();
        for event in self.read_events(tenant, &ids).await? {
            if query.matches(&event) {
                return Err(Error::query_conflict(&event.id.to_string()));
            }
        }
        Ok(())
    }

    /// Writes rows and heads. The append has happened, so an error here is not one of the caller: the next one of the
    /// tag completes it.
    async fn complete(
        &self,
        tenant: &TenantContainers,
        reserved: &[ReservedTag],
        events: &[DomainEvent],
    ) {
        for one in reserved {
            let rows: Vec<TagDocument> = events
                .iter()
                .filter(|event| event.tags.contains(&one.tag))
                .map(|event| tenant.row_document(&row_of(event, &one.tag)))
                .collect();
            let done = finish(tenant, &one.tag, &one.head, one.etag.as_ref(), rows).await;
            if let Err(error) = done {
                let (service_id, tag) = (&tenant.service, &one.tag);
                tracing::warn!(%service_id, %tag, %error, "the rows of a tag are completed later");
            }
        }
    }
}

/// All tags that the append has to hold: of its events, of its condition, and one for each item of a query.
fn locked_tags(append: &PreparedAppend) -> Result<BTreeSet<EventTag>> {
    let mut tags = append.event_tags();
    match &append.condition {
        AppendCondition::None => {}
        AppendCondition::Tags(expected) => tags.extend(expected.keys().cloned()),
        AppendCondition::Query { fail_if_events_match, .. } => {
            tags.extend(fail_if_events_match.guard_tags().ok_or_else(unguarded)?);
        }
    }
    Ok(tags)
}

fn unguarded() -> Error {
    let message =
        "on an account, each item of 'failIfEventsMatch' needs a tag: only tags can be reserved";
    Error::new(ErrorKind::Unsupported, message)
}

/// Writes an event that does not commit. One of an earlier attempt under the same id is replaced, after that attempt
/// can never commit.
async fn write_uncommitted(tenant: &TenantContainers, event: &EventDocument) -> Result<()> {
    let key = tenant.event_key(event.id);
    for _ in 0..10 {
        match tenant.events.create(&key, event).await {
            Ok(_) => return Ok(()),
            Err(error) if is_lost_race(&error) => {}
            Err(error) => return Err(error.into()),
        }
        let id = event.id.to_string();
        let found = tenant.events.read::<EventDocument>(&key, &id).await?.value;
        let other = &found.value.batch;
        if other.batch_id == event.batch.batch_id {
            return Ok(());
        }
        let (Some(batch), Some(commit)) = (&other.batch_id, other.commit_event_id) else {
            return Err(PreparedAppend::exists(event.id));
        };
        if settle(tenant, batch, commit).await? == BatchOutcome::Committed {
            return Err(PreparedAppend::exists(event.id));
        }
        match tenant.events.replace(&key, event, found.etag().as_ref()).await {
            Ok(_) => return Ok(()),
            Err(error) if is_lost_race(&error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(PreparedAppend::exists(event.id))
}
