//! Settling an append: it has happened, or it can never happen.
//!
//! Owns the one rule. An append happens by creating its last event. Whoever has to know whether it happened looks at
//! that id; if nothing is there, it writes a note that cancels the append, at the same id. The store takes only one of
//! the two, so every reader and writer comes to the same result, whatever clocks say. Nothing is deleted.
//!
//! A cancelled append may be tried again under the same ids (idempotency keys): its event then replaces the note, by
//! etag, unless the note names that very attempt.

use client::{EntityTag, ErrorKind as AccountErrorKind, ItemBatch};

use crate::domain::{DomainEventId, EventTag, PreparedAppend};
use crate::error::{Error, Result};
use crate::storage::row_of;

use super::containers::TenantContainers;
use super::documents::{
    CommitSlot, EventDocument, HEAD_ID, HeadDocument, TagDocument, TagReservation,
};
use super::visibility::read_slot;

/// Others can write between a read and a write only so often.
const ROUNDS_MAX: u32 = 200;

/// How an append ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BatchOutcome {
    /// Its events are stored and visible.
    Committed,
    /// It has not happened and never will.
    Cancelled,
}

/// Finds out whether an append has happened, and prevents it if not.
pub(super) async fn settle(
    tenant: &TenantContainers,
    batch: &str,
    commit: DomainEventId,
) -> Result<BatchOutcome> {
    let key = tenant.event_key(commit);
    for _ in 0..ROUNDS_MAX {
        let written = match read_slot(tenant, commit).await? {
            Some((slot, _)) if slot.is_event() => {
                let is_own = slot.batch_id.as_deref() == Some(batch);
                return Ok(if is_own { BatchOutcome::Committed } else { BatchOutcome::Cancelled });
            }
            Some((slot, _)) if slot.cancelled_batch_ids.iter().any(|one| one == batch) => {
                return Ok(BatchOutcome::Cancelled);
            }
            Some((mut slot, etag)) => {
                slot.cancelled_batch_ids.push(batch.to_owned());
                tenant.events.replace(&key, &slot, etag.as_ref()).await.map(drop)
            }
            None => {
                let slot = CommitSlot {
                    id: commit,
                    pk: tenant.event_pk(commit),
                    service_id: Some(tenant.service.clone()),
                    batch_id: None,
                    cancelled_batch_ids: vec![batch.to_owned()],
                };
                tenant.events.create(&key, &slot).await.map(drop)
            }
        };
        match written {
            Ok(()) => return Ok(BatchOutcome::Cancelled),
            // Somebody else was faster; look again.
            Err(error) if is_lost_race(&error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(busy())
}

/// Writes the committing event. `Cancelled` if somebody has settled the append before.
pub(super) async fn commit(
    tenant: &TenantContainers,
    event: &EventDocument,
) -> Result<BatchOutcome> {
    let key = tenant.event_key(event.id);
    let batch = event.batch.batch_id.as_deref();
    match tenant.events.create(&key, event).await {
        Ok(_) => return Ok(BatchOutcome::Committed),
        Err(error) if is_lost_race(&error) => {}
        Err(error) => return Err(error.into()),
    }
    for _ in 0..ROUNDS_MAX {
        let Some((slot, etag)) = read_slot(tenant, event.id).await? else {
            return Err(Error::corrupt(format!("the event {} is gone", event.id)));
        };
        if slot.is_event() {
            let is_own = slot.batch_id.as_deref() == batch;
            return if is_own {
                Ok(BatchOutcome::Committed)
            } else {
                Err(PreparedAppend::exists(event.id))
            };
        }
        if slot.cancelled_batch_ids.iter().any(|one| Some(one.as_str()) == batch) {
            return Ok(BatchOutcome::Cancelled);
        }
        match tenant.events.replace(&key, event, etag.as_ref()).await {
            Ok(_) => return Ok(BatchOutcome::Committed),
            Err(error) if is_lost_race(&error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(busy())
}

/// Completes or cancels the append that holds a reservation, and removes the reservation of this tag.
pub(super) async fn settle_reservation(
    tenant: &TenantContainers,
    tag: &EventTag,
    head: &HeadDocument,
    etag: Option<&EntityTag>,
    reservation: &TagReservation,
) -> Result<BatchOutcome> {
    let batch = &reservation.reservation_id;
    let outcome = settle(tenant, batch, reservation.commit_event_id).await?;
    tracing::info!(service_id = %tenant.service, %tag, ?outcome, "an interrupted append was settled");
    let rows = match outcome {
        BatchOutcome::Cancelled => Vec::new(),
        BatchOutcome::Committed => rows_of_batch(tenant, tag, reservation).await?,
    };
    finish(tenant, tag, head, etag, rows).await?;
    Ok(outcome)
}

/// Writes the rows of a tag, its new version, and removes its reservation, in one transaction. Does nothing if somebody
/// else did.
pub(super) async fn finish(
    tenant: &TenantContainers,
    tag: &EventTag,
    head: &HeadDocument,
    etag: Option<&EntityTag>,
    rows: Vec<TagDocument>,
) -> Result<()> {
    let key = tenant.tag_key(tag);
    let last = rows.iter().map(|row| &row.sortable_unique_id).max().cloned();
    let finished = HeadDocument {
        last_sortable_unique_id: last.or_else(|| head.last_sortable_unique_id.clone()),
        reservation: None,
        ..head.clone()
    };
    let mut missing = rows;
    for _ in 0..ROUNDS_MAX {
        let mut batch = ItemBatch::new();
        for row in &missing {
            batch = batch.create(row)?;
        }
        let batch = batch.replace(&finished, etag)?;
        let Err(error) = tenant.tags.batch(&key, batch).await else { return Ok(()) };
        match error.kind() {
            // The head has changed, so somebody else has settled the append: also when an earlier attempt of this
            // batch was executed and its response was lost.
            AccountErrorKind::Precondition => return Ok(()),
            AccountErrorKind::Conflict => missing = without_stored(tenant, tag, missing).await?,
            _ if error.may_have_happened() => {
                let now = read_head(tenant, tag).await?;
                let is_done = now.is_none_or(|(now, _)| now.reservation != head.reservation);
                if is_done {
                    return Ok(());
                }
            }
            _ => return Err(error.into()),
        }
    }
    Err(busy())
}

/// The rows that are not stored. One that is stored with other content is damage, and is left as it is.
async fn without_stored(
    tenant: &TenantContainers,
    tag: &EventTag,
    rows: Vec<TagDocument>,
) -> Result<Vec<TagDocument>> {
    let mut missing = Vec::new();
    for row in rows {
        match tenant.tags.read::<TagDocument>(&tenant.tag_key(tag), &row.id).await {
            Ok(found) if found.value.value.sortable_unique_id == row.sortable_unique_id => {}
            Ok(_) => {
                let message = format!("the row of event {} in {tag} has another position", row.id);
                return Err(Error::corrupt(message));
            }
            Err(error) if error.kind() == AccountErrorKind::NotFound => missing.push(row),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(missing)
}

async fn rows_of_batch(
    tenant: &TenantContainers,
    tag: &EventTag,
    reservation: &TagReservation,
) -> Result<Vec<TagDocument>> {
    let mut rows = Vec::new();
    for id in &reservation.event_ids {
        let (key, text) = (tenant.event_key(*id), id.to_string());
        let event = tenant.events.read::<EventDocument>(&key, &text).await?.value.into_value();
        if event.batch.batch_id.as_deref() != Some(&reservation.reservation_id) {
            let message = format!("event {id} is not of the append that has reserved {tag}");
            return Err(Error::corrupt(message));
        }
        if event.tags.contains(tag) {
            rows.push(tenant.row_document(&row_of(&event.into_event()?, tag)));
        }
    }
    Ok(rows)
}

/// The head of a tag, with its etag.
pub(super) async fn read_head(
    tenant: &TenantContainers,
    tag: &EventTag,
) -> Result<Option<(HeadDocument, Option<EntityTag>)>> {
    match tenant.tags.read::<HeadDocument>(&tenant.tag_key(tag), HEAD_ID).await {
        Ok(found) => {
            let etag = found.value.etag();
            let head = found.value.into_value();
            let is_own = tenant.owns(Some(&head.service_id), "head");
            Ok(is_own.then_some((head, etag)))
        }
        Err(error) if error.kind() == AccountErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn is_lost_race(error: &client::Error) -> bool {
    matches!(error.kind(), AccountErrorKind::Conflict | AccountErrorKind::Precondition)
}

pub(super) fn busy() -> Error {
    Error::unavailable("too many others write the same tag or event now; try again")
}
