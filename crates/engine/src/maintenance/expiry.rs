//! Time to live: expired items are removed from the store.
//!
//! Owns the sweep. It is not what makes items disappear: every reader checks expiry itself, so that an expired item is
//! invisible before it is removed. The sweep resumes from a cursor in the partition's state, so that it never scans
//! again what it has removed before.

use std::ops::Bound;

use model::{Lsn, RequestCharge, TimeToLive};
use storage::{Direction, Entry, KeyRange, StorageKey};

use super::step::{MaintenanceStep, StepReport, StepTransaction, change_position, scan};
use crate::charge;
use crate::error::Error;
use crate::item::{PreparableTransaction, PreparationBasis, PreparationTurns, prepare_removals};
use crate::key_layout::{CHANGE_LOG, ChangePosition, EXPIRY, ItemKey, expired_range, expiry_key};
use crate::partition::{Abort, CLOCK_LEAD_MAX_SECONDS};
use crate::record::{ItemHeader, LogEntry, Removal};
use crate::transaction::ItemTransaction;

/// The maximum number of items that one transaction removes, whatever the settings say: the sequence number of a change
/// inside its transaction has 16 bits.
const STEP_ITEMS_MAX: usize = 4096;

/// Removes some expired items: first those with a time to live of their own, then those that inherit the default.
pub(super) struct ExpireItems {
    pub(super) items_max: usize,
}

impl MaintenanceStep for ExpireItems {
    async fn handle(&mut self, transaction: &mut ItemTransaction<'_>) -> Result<StepReport, Abort> {
        expire(transaction, self.items_max).await
    }
}

impl PreparableTransaction for StepTransaction<ExpireItems> {
    fn keys(&self) -> Vec<ItemKey> {
        // Those that a run was too long for are looked at.
        Vec::new()
    }

    fn new_items(&self) -> usize {
        0
    }

    fn bytes(&self) -> usize {
        0
    }

    fn prepare(
        &mut self,
        basis: &PreparationBasis,
        turns: &PreparationTurns,
    ) -> crate::error::Result<()> {
        self.prepared = Some(Box::new(prepare_removals(basis, turns)?));
        Ok(())
    }
}

async fn expire(
    transaction: &mut ItemTransaction<'_>,
    items_max: usize,
) -> Result<StepReport, Abort> {
    transaction.require_no_pending()?;
    let items_max = items_max.min(STEP_ITEMS_MAX);
    let default = transaction.context.compiled.properties.default_time_to_live;
    // Then own times have no effect either, and no cursor may move: the setting can be switched on later.
    if default == TimeToLive::Off {
        return Ok(StepReport::default());
    }
    let mut charge = RequestCharge::ZERO;
    let (own, more_own) = expire_own(transaction, items_max, &mut charge).await?;
    // At least one entry, so that the inherited sweep advances even while own times use up the limit.
    let left = items_max.saturating_sub(own).max(1);
    let (inherited, more_inherited) = match default {
        TimeToLive::Seconds(seconds) => {
            let (seconds, limits) = (u64::from(seconds), (left, own > 0));
            expire_inherited(transaction, seconds, limits, &mut charge).await?
        }
        _ => (0, false),
    };
    let more = more_own || more_inherited;
    Ok(StepReport { handled: own + inherited, charge, more })
}

async fn expire_own(
    transaction: &mut ItemTransaction<'_>,
    items_max: usize,
    charge: &mut RequestCharge,
) -> Result<(usize, bool), Abort> {
    let now = transaction.context.now.seconds().0;
    let from = expiry_key(transaction.state.expiry_from_second, 0);
    let range = KeyRange { lower: Bound::Included(from), ..expired_range(now) };
    let page = scan(transaction, EXPIRY, range, items_max).await?;
    let mut handled = 0;
    for Entry { key, value } in page.entries {
        let second = key.get(..8).and_then(|second| second.try_into().ok()).map(u64::from_be_bytes);
        // The second of this entry and not the next one: several items may expire in one second, and the page may end
        // between them.
        transaction.state.expiry_from_second =
            second.unwrap_or(transaction.state.expiry_from_second);
        match remove_expired(transaction, value).await {
            // The rest is a step of its own.
            Err(Abort::TooLong(_)) if handled > 0 => return Ok((handled, true)),
            removed => *charge += removed?,
        }
        handled += 1;
    }
    Ok((handled, page.more))
}

/// Scans the change log, which is in the order of time, from the cursor to the first change that is not due. After a
/// merge the logs of two partitions are interleaved, and the order is no longer that of time: an expired item may then
/// have to wait behind a younger one, for the default time to live at most. `has_others` is whether the step has
/// removed something already.
async fn expire_inherited(
    transaction: &mut ItemTransaction<'_>,
    default_seconds: u64,
    (items_max, has_others): (usize, bool),
    charge: &mut RequestCharge,
) -> Result<(usize, bool), Abort> {
    let now = transaction.context.now.seconds().0;
    let levels = transaction.context.container.levels();
    let started = transaction.state.expiry_after;
    let mut range = ChangePosition::after(started);
    // The transaction that is being read. The cursor in the state is always the one before it: only when an entry of a
    // later lsn shows up are all entries of a transaction known to be handled.
    let mut reached = started;
    let mut handled = 0;
    loop {
        let page = scan(transaction, CHANGE_LOG, range.clone(), items_max).await?;
        for Entry { key, value } in &page.entries {
            let lsn = change_position(key)?.lsn;
            let (item, record) = LogEntry::decode(value.clone(), levels)?;
            let is_due = record.header.timestamp.0 + default_seconds <= now;
            // Written while the clock was ahead, and by its timestamp due in a distant future. If the cursor waited for
            // it, nothing behind it would be removed; so it is passed, and only readers notice when it is due.
            let is_ahead = lsn <= transaction.state.interleaved
                && record.header.timestamp.0 > now.saturating_add(CLOCK_LEAD_MAX_SECONDS);
            if !is_due && !is_ahead {
                // Everything after this entry is younger. The cursor stops right before its transaction.
                let before = Lsn(lsn.0.saturating_sub(1));
                transaction.state.expiry_after = transaction.state.expiry_after.max(before);
                return Ok((handled, false));
            }
            if lsn > reached {
                transaction.state.expiry_after = reached;
                reached = lsn;
            }
            // Items with a time to live of their own are found through the space `expiry`.
            if is_due && inherits(&record.header) {
                match remove_expired(transaction, item.as_bytes().clone()).await {
                    // The rest is a step of its own, which begins with this transaction.
                    Err(Abort::TooLong(_)) if handled > 0 || has_others => {
                        return Ok((handled, true));
                    }
                    removed => *charge += removed?,
                }
                handled += 1;
            }
        }
        let Some(last) = page.entries.last().filter(|_| page.more) else {
            transaction.state.expiry_after = reached;
            return Ok((handled, false));
        };
        // The cursor is an lsn and can only stop between transactions: one that fills a page is read to its end.
        if handled > 0 || transaction.state.expiry_after > started {
            return Ok((handled, true));
        }
        range = range.after(last.key.clone(), Direction::Forward);
    }
}

fn inherits(header: &ItemHeader) -> bool {
    header.time_to_live.is_none()
}

/// Removes an item if it has expired, and returns the charge.
async fn remove_expired(
    transaction: &mut ItemTransaction<'_>,
    key: StorageKey,
) -> Result<RequestCharge, Abort> {
    let levels = transaction.context.container.levels();
    let key = ItemKey::decode(key, levels)
        .ok_or_else(|| Error::corrupt("an expiry entry names no item"))?;
    // Removed by the other part of this transaction, or the entry is stale.
    let Some(record) = transaction.read(&key).await? else { return Ok(RequestCharge::ZERO) };
    // The entry may be older than the record, or the default was changed; the record decides.
    if !transaction.context.compiled.is_expired(&record.header, transaction.context.now) {
        return Ok(RequestCharge::ZERO);
    }
    let removed = transaction.remove(&key, &record, Removal::Expired, false)?;
    Ok(charge::delete(removed.weight))
}
