//! Time to live: expired items are reclaimed, superseded versions are trimmed.
//!
//! Owns both sweeps, run inside a turn. Expired items are invisible before any sweep: readers ask the live container.
//! Both sweeps resume from a cursor, so that they never cross what they removed before.

use std::ops::Bound;

use model::{Lsn, RequestCharge, TimeToLive};
use storage::{Direction, Entry, KeyRange, Scan, ScanLimit, StorageKey};

use crate::charge;
use crate::error::Error;
use crate::item::{Halt, ItemHeader, LogEntry, Removal, Turn, Version};
use crate::key_layout::{
    CHANGE_LOG, ChangePosition, EXPIRY, ItemKey, VERSIONS, expired_range, expiry_key,
};
use crate::partition::WorkAnswer;

/// Items one transaction reclaims at most, whatever the settings say: changes of a transaction are counted in 16 bits.
const STEP_ITEMS_MAX: usize = 4096;

/// Reclaims expired items: first those with a time to live of their own, then those that inherit the default.
pub(crate) async fn expire(turn: &mut Turn<'_>, items_max: usize) -> Result<WorkAnswer, Halt> {
    turn.require_first()?;
    let items_max = items_max.min(STEP_ITEMS_MAX);
    let default = turn.context.live.properties.default_time_to_live;
    if default == TimeToLive::Off {
        return Ok(nothing_to_do());
    }
    let mut charge = RequestCharge::ZERO;
    let (own, more_own) = expire_own(turn, items_max, &mut charge).await?;
    let left = items_max.saturating_sub(own).max(1);
    let (inherited, more_inherited) = match default {
        TimeToLive::Seconds(seconds) => {
            expire_inherited(turn, u64::from(seconds), left, &mut charge).await?
        }
        _ => (0, false),
    };
    let more = more_own || more_inherited;
    Ok(WorkAnswer::Maintained { handled: own + inherited, charge, more })
}

fn nothing_to_do() -> WorkAnswer {
    WorkAnswer::Maintained { handled: 0, charge: RequestCharge::ZERO, more: false }
}

async fn expire_own(
    turn: &mut Turn<'_>,
    items_max: usize,
    charge: &mut RequestCharge,
) -> Result<(usize, bool), Halt> {
    let now = turn.context.now.seconds().0;
    let from = expiry_key(turn.state.expiry_from_second, 0);
    let range = KeyRange { lower: Bound::Included(from), ..expired_range(now) };
    let page = scan(turn, EXPIRY, range, items_max).await?;
    let handled = page.entries.len();
    for Entry { key, value } in page.entries {
        let second = key.get(..8).and_then(|second| second.try_into().ok()).map(u64::from_be_bytes);
        turn.state.expiry_from_second = second.unwrap_or(turn.state.expiry_from_second);
        *charge += remove_expired(turn, value).await?;
    }
    Ok((handled, page.more))
}

/// Walks the change log, which is in the order of time, from the cursor to the first change that is not due. After a
/// merge two orders are interleaved: then an item may wait for a younger one, for the default time to live at most.
async fn expire_inherited(
    turn: &mut Turn<'_>,
    default_seconds: u64,
    items_max: usize,
    charge: &mut RequestCharge,
) -> Result<(usize, bool), Halt> {
    let now = turn.context.now.seconds().0;
    let levels = turn.context.container.levels();
    let started = turn.state.expiry_after;
    let mut range = ChangePosition::after(started);
    let mut reached = started;
    let mut handled = 0;
    loop {
        let page = scan(turn, CHANGE_LOG, range.clone(), items_max).await?;
        for Entry { key, value } in &page.entries {
            let lsn = position(key)?.lsn;
            let (item, record) = LogEntry::decode(value.clone(), levels)?;
            if record.header.timestamp.0 + default_seconds > now {
                let before = Lsn(lsn.0.saturating_sub(1));
                turn.state.expiry_after = turn.state.expiry_after.max(before);
                return Ok((handled, false));
            }
            if lsn > reached {
                turn.state.expiry_after = reached;
                reached = lsn;
            }
            if inherits(&record.header) {
                *charge += remove_expired(turn, item.as_bytes().clone()).await?;
                handled += 1;
            }
        }
        let Some(last) = page.entries.last().filter(|_| page.more) else {
            turn.state.expiry_after = reached;
            return Ok((handled, false));
        };
        // The cursor stands between transactions: one that fills a page is walked to its end.
        if handled > 0 || turn.state.expiry_after > started {
            return Ok((handled, true));
        }
        range = range.after(last.key.clone(), Direction::Forward);
    }
}

fn inherits(header: &ItemHeader) -> bool {
    header.time_to_live.is_none()
}

/// Removes an item if it has expired, and tells what that costs.
async fn remove_expired(turn: &mut Turn<'_>, key: StorageKey) -> Result<RequestCharge, Halt> {
    let levels = turn.context.container.levels();
    let key = ItemKey::decode(key, levels)
        .ok_or_else(|| Error::corrupt("an expiry entry names no item"))?;
    let Some(record) = turn.stored(&key).await? else { return Ok(RequestCharge::ZERO) };
    if !turn.context.live.is_expired(&record.header, turn.context.now) {
        return Ok(RequestCharge::ZERO);
    }
    Ok(charge::delete(turn.remove(&key, &record, Removal::Expired)?))
}

/// Drops versions that ended before the retention. Goes through all of them once, and again when the oldest it has
/// left is due.
pub(crate) async fn trim_versions(
    turn: &mut Turn<'_>,
    items_max: usize,
) -> Result<WorkAnswer, Halt> {
    turn.require_first()?;
    let now = turn.context.now.seconds().0;
    let retention = turn.context.live.retention_seconds;
    let is_due = |ended: u64| ended.saturating_add(retention) < now;
    if turn.state.trim_after == ChangePosition::default() {
        if !is_due(turn.state.trim_round.ended_from) {
            return Ok(nothing_to_do());
        }
        // Whatever is written while the round goes on ends after its beginning.
        turn.state.trim_round.earliest_left = now;
    }
    let lower = Bound::Excluded(turn.state.trim_after.key());
    let range = KeyRange { lower, upper: Bound::Unbounded };
    let page = scan(turn, VERSIONS, range, items_max).await?;
    let levels = turn.context.container.levels();
    let mut handled = 0;
    let mut last = ChangePosition::default();
    for Entry { key, value } in &page.entries {
        let position = position(key)?;
        let (version, ended) = Version::decode(value.clone(), levels)?;
        if is_due(ended.0) {
            turn.trim_version(position, &version, ended);
            handled += 1;
        } else {
            let round = &mut turn.state.trim_round;
            round.earliest_left = round.earliest_left.min(ended.0);
        }
        last = position;
    }
    if page.more {
        turn.state.trim_after = last;
    } else {
        turn.state.trim_after = ChangePosition::default();
        turn.state.trim_round.ended_from = turn.state.trim_round.earliest_left;
    }
    Ok(WorkAnswer::Maintained { handled, charge: RequestCharge::ZERO, more: page.more })
}

fn position(key: &[u8]) -> Result<ChangePosition, Halt> {
    let damaged = || Error::corrupt("the key of a change is damaged").into();
    ChangePosition::decode(key).ok_or_else(damaged)
}

async fn scan(
    turn: &Turn<'_>,
    space: storage::Space,
    range: KeyRange,
    entries_max: usize,
) -> Result<storage::ScanPage, Halt> {
    let shard = turn.context.partition.shard;
    let scan = Scan::forward(range, ScanLimit::entries(entries_max));
    Ok(turn.context.store.scan(shard, space, &scan).await?)
}
