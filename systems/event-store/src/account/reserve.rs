//! Reserving tags for an append.
//!
//! Owns the order, which is that of the tags, so that two appends never wait for each other in a circle; waiting for
//! others; settling reservations that have expired. A reservation is written by etag, so only one append has it.

use std::collections::BTreeSet;
use std::time::Duration;

use client::{EntityTag, Environment};
use service::timestamp::UtcTimestamp;

use crate::domain::{EventTag, SortableUniqueId};
use crate::error::Result;

use super::containers::TenantContainers;
use super::documents::{HeadDocument, TagDocument, TagReservation};
use super::settle::{busy, finish, is_lost_race, read_head, settle_reservation};

const FIRST_WAIT: Duration = Duration::from_millis(2);
const WAIT_MAX: Duration = Duration::from_millis(100);

/// A tag that this append has reserved.
pub(super) struct ReservedTag {
    pub(super) tag: EventTag,
    pub(super) head: HeadDocument,
    pub(super) etag: Option<EntityTag>,
}

/// Reserves all tags, or none.
pub(super) async fn reserve_all(
    tenant: &TenantContainers,
    environment: &Environment,
    tags: &BTreeSet<EventTag>,
    reservation: &TagReservation,
) -> Result<Vec<ReservedTag>> {
    let mut reserved = Vec::new();
    for tag in tags {
        match reserve(tenant, environment, tag, reservation).await {
            Ok(one) => reserved.push(one),
            Err(error) => {
                release(tenant, &reserved).await;
                return Err(error);
            }
        }
    }
    Ok(reserved)
}

async fn reserve(
    tenant: &TenantContainers,
    environment: &Environment,
    tag: &EventTag,
    reservation: &TagReservation,
) -> Result<ReservedTag> {
    let mut wait = FIRST_WAIT;
    // As long as a reservation may live: whoever holds the tag is done by then, or is settled.
    let give_up = reservation.expires_at;
    loop {
        let Some((head, etag)) = read_head(tenant, tag).await? else {
            let last_sortable_unique_id = last_position(tenant, tag).await?;
            let head = HeadDocument { last_sortable_unique_id, ..tenant.head(tag) };
            match reserve_new(tenant, head, reservation).await? {
                Some(reserved) => return Ok(reserved),
                None => continue,
            }
        };
        let now = UtcTimestamp::now(environment);
        match &head.reservation {
            // Our own, whose answer was lost.
            Some(held) if held == reservation => {
                return Ok(ReservedTag { tag: tag.clone(), head, etag });
            }
            Some(held) if held.expires_at <= now => {
                settle_reservation(tenant, tag, &head, etag.as_ref(), held).await?;
            }
            Some(_) if now >= give_up => return Err(busy()),
            Some(_) => {
                // Jitter, so that those who wait do not come back together.
                let random = u32::try_from(environment.random() % 100).unwrap_or_default();
                environment.sleep(wait + wait * random / 100).await;
                wait = (wait * 2).min(WAIT_MAX);
            }
            None => {
                let head = HeadDocument { reservation: Some(reservation.clone()), ..head };
                match tenant.tags.replace(&tenant.tag_key(tag), &head, etag.as_ref()).await {
                    Ok(written) => {
                        let etag = written.value.etag();
                        return Ok(ReservedTag { tag: tag.clone(), head, etag });
                    }
                    Err(error) if is_lost_race(&error) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }
}

/// Creates the head of a tag with a reservation; `None` if somebody else created it.
async fn reserve_new(
    tenant: &TenantContainers,
    head: HeadDocument,
    reservation: &TagReservation,
) -> Result<Option<ReservedTag>> {
    let tag = head.tag.clone();
    let head = HeadDocument { reservation: Some(reservation.clone()), ..head };
    match tenant.tags.create(&tenant.tag_key(&tag), &head).await {
        Ok(created) => {
            let etag = created.value.etag();
            Ok(Some(ReservedTag { tag, head, etag }))
        }
        Err(error) if is_lost_race(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The version of a tag without a head: rows of single-tenant programs and copied rows have none.
async fn last_position(
    tenant: &TenantContainers,
    tag: &EventTag,
) -> Result<Option<SortableUniqueId>> {
    let rows = tenant.tags.query::<TagDocument>(&tenant.last_row(tag)).await?.value;
    Ok(rows.into_iter().next().map(|row| row.sortable_unique_id))
}

/// Gives reservations back. What cannot be given back now expires.
pub(super) async fn release(tenant: &TenantContainers, reserved: &[ReservedTag]) {
    for one in reserved {
        let released = finish(tenant, &one.tag, &one.head, one.etag.as_ref(), Vec::new()).await;
        if let Err(error) = released {
            let (service_id, tag) = (&tenant.service, &one.tag);
            tracing::warn!(%service_id, %tag, %error, "a reservation stays until it expires");
        }
    }
}
