//! Items that have expired and are not reclaimed yet.
//!
//! Owns their ordinals per physical partition, so that answers from the index leave them out without loading anything
//! else. Items with a time to live of their own are in the expiry space by second; items that inherit it are in the
//! change log in the order of their last write, beyond the cursor of the reclaimer.

use std::collections::{HashMap, HashSet};

use model::TimeToLive;
use storage::{Direction, Scan, ScanLimit, Shard};

use super::reading::Reading;
use crate::error::{Error, Result};
use crate::item::LogEntry;
use crate::key_layout::{CHANGE_LOG, ChangePosition, EXPIRY, STATE, STATE_KEY, expired_range};
use crate::partition::PartitionState;

/// Beyond so many, items are loaded and asked instead.
const ORDINALS_MAX: usize = 100_000;
const ENTRIES_AT_ONCE: usize = 512;

/// What is known of expired items, by shard.
#[derive(Default)]
pub(super) struct Expired {
    known: HashMap<Shard, Option<HashSet<u64>>>,
}

impl Expired {
    /// Whether an item is certainly alive.
    pub(super) async fn is_alive(
        &mut self,
        reading: &mut Reading,
        shard: Shard,
        ordinal: u64,
    ) -> Result<bool> {
        if reading.live.properties.default_time_to_live == TimeToLive::Off {
            return Ok(true);
        }
        let is_alive = |expired: &Option<HashSet<u64>>| {
            expired.as_ref().is_some_and(|expired| !expired.contains(&ordinal))
        };
        if let Some(known) = self.known.get(&shard) {
            return Ok(is_alive(known));
        }
        let found = gather(reading, shard).await?;
        Ok(is_alive(self.known.entry(shard).or_insert(found)))
    }
}

/// The ordinals of all that may have expired; none when there are too many.
async fn gather(reading: &Reading, shard: Shard) -> Result<Option<HashSet<u64>>> {
    let mut expired = HashSet::new();
    let now = reading.now.seconds().0;
    let mut range = expired_range(now);
    loop {
        let scan = Scan::forward(range.clone(), ScanLimit::entries(ENTRIES_AT_ONCE));
        let page = reading.view().scan(shard, EXPIRY, &scan).await?;
        for entry in &page.entries {
            let ordinal = entry.key.get(8..16).and_then(|bytes| bytes.try_into().ok());
            let ordinal = ordinal.ok_or_else(|| Error::corrupt("an expiry key is damaged"))?;
            expired.insert(u64::from_be_bytes(ordinal));
        }
        match page.entries.last() {
            _ if expired.len() > ORDINALS_MAX => return Ok(None),
            Some(last) if page.more => range = range.after(last.key.clone(), Direction::Forward),
            _ => break,
        }
    }
    let TimeToLive::Seconds(seconds) = reading.live.properties.default_time_to_live else {
        return Ok(Some(expired));
    };
    gather_inherited(reading, shard, u64::from(seconds), expired).await
}

async fn gather_inherited(
    reading: &Reading,
    shard: Shard,
    default_seconds: u64,
    mut expired: HashSet<u64>,
) -> Result<Option<HashSet<u64>>> {
    let state = reading.view().get(shard, STATE, STATE_KEY).await?;
    let state = state.map(|state| PartitionState::decode(&state)).transpose()?.unwrap_or_default();
    let now = reading.now.seconds().0;
    let levels = reading.identity.levels();
    let mut range = ChangePosition::after(state.expiry_after);
    loop {
        let scan = Scan::forward(range.clone(), ScanLimit::entries(ENTRIES_AT_ONCE));
        let page = reading.view().scan(shard, CHANGE_LOG, &scan).await?;
        for entry in &page.entries {
            let (_, record) = LogEntry::decode(entry.value.clone(), levels)?;
            let header = &record.header;
            let is_due = header.timestamp.0 + default_seconds <= now;
            // After a merge, changes up to there are not in the order of their time.
            if !is_due && header.position.lsn > state.interleaved {
                return Ok(Some(expired));
            }
            if is_due && header.time_to_live.is_none() {
                expired.insert(header.position.ordinal);
            }
        }
        match page.entries.last() {
            _ if expired.len() > ORDINALS_MAX => return Ok(None),
            Some(last) if page.more => range = range.after(last.key.clone(), Direction::Forward),
            _ => return Ok(Some(expired)),
        }
    }
}
