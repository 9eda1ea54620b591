//! Items that have expired but are not deleted yet.
//!
//! Collects their ordinals per physical partition, so that items decoded from the index can be checked without loading
//! them. Items with a time to live of their own are in the expiry space, by second. Items with the container's default
//! are in the change log in the order of their last write, after the cursor of the expiry job.

use std::collections::{HashMap, HashSet};

use model::TimeToLive;
use storage::{Direction, Scan, ScanLimit, Shard};

use super::page_reader::PageReader;
use crate::error::{Error, Result};
use crate::key_layout::{CHANGE_LOG, ChangePosition, EXPIRY, STATE, STATE_KEY, expired_range};
use crate::partition::PartitionState;
use crate::record::LogEntry;

/// With more than this, items are loaded to see whether they have expired.
const ORDINALS_MAX: usize = 100_000;
const ENTRIES_PER_SCAN: usize = 512;

/// The ordinals of expired items by shard; `None` if there are too many.
#[derive(Default)]
pub(super) struct ExpiredItems {
    by_shard: HashMap<Shard, Option<HashSet<u64>>>,
}

impl ExpiredItems {
    /// Checks that an item has not expired. Returns false also if that is unknown; the item must be loaded then.
    pub(super) async fn check_alive(
        &mut self,
        reader: &mut PageReader,
        shard: Shard,
        ordinal: u64,
    ) -> Result<bool> {
        // If time to live is off, the own time of an item has no effect either, as in the service.
        if reader.compiled.properties.default_time_to_live == TimeToLive::Off {
            return Ok(true);
        }
        let is_alive = |expired: &Option<HashSet<u64>>| {
            expired.as_ref().is_some_and(|expired| !expired.contains(&ordinal))
        };
        if let Some(known) = self.by_shard.get(&shard) {
            // Collected once per page: the page has one timestamp, and the snapshot does not change.
            return Ok(is_alive(known));
        }
        let found = collect_expired(reader, shard).await?;
        Ok(is_alive(self.by_shard.entry(shard).or_insert(found)))
    }
}

/// The ordinals of all items that may have expired; `None` if there are too many.
async fn collect_expired(reader: &PageReader, shard: Shard) -> Result<Option<HashSet<u64>>> {
    let mut expired = HashSet::new();
    let now = reader.now.seconds().0;
    let mut range = expired_range(now);
    loop {
        let scan = Scan::forward(range.clone(), ScanLimit::entries(ENTRIES_PER_SCAN));
        let page = reader.snapshot().scan(shard, EXPIRY, &scan).await?;
        for entry in &page.entries {
            // The key is the second of expiry (8 bytes), then the ordinal.
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
    let TimeToLive::Seconds(seconds) = reader.compiled.properties.default_time_to_live else {
        return Ok(Some(expired));
    };
    collect_default_expired(reader, shard, u64::from(seconds), expired).await
}

/// Adds the items with the default time to live.
async fn collect_default_expired(
    reader: &PageReader,
    shard: Shard,
    default_seconds: u64,
    mut expired: HashSet<u64>,
) -> Result<Option<HashSet<u64>>> {
    let state = reader.snapshot().get(shard, STATE, STATE_KEY).await?;
    let state = state.map(|state| PartitionState::decode(&state)).transpose()?.unwrap_or_default();
    let now = reader.now.seconds().0;
    let levels = reader.identity.levels();
    // Everything up to this lsn was swept. Without the cursor, each page would read the log from its beginning.
    let mut range = ChangePosition::after(state.expiry_after);
    loop {
        let scan = Scan::forward(range.clone(), ScanLimit::entries(ENTRIES_PER_SCAN));
        let page = reader.snapshot().scan(shard, CHANGE_LOG, &scan).await?;
        for entry in &page.entries {
            let (_, record) = LogEntry::decode(entry.value.clone(), levels)?;
            let header = &record.header;
            let is_due = header.timestamp.0 + default_seconds <= now;
            // Timestamps ascend with the lsn, so the first entry that is not due ends the search. Only after a merge,
            // entries up to `interleaved` are not in that order.
            if !is_due && header.position.lsn > state.interleaved {
                return Ok(Some(expired));
            }
            // An item with a time of its own is not governed by the default; the first loop has found it if it is due.
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
