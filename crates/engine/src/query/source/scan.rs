//! All items, in key order.
//!
//! Used where the order of rows does not matter, or cannot be that of creation. The continuation position is the last
//! key read: keys begin with the epk, so it remains valid after a split or merge.

use storage::{Direction, KeyRange, StorageKey};

use super::candidate::{Candidate, CandidateBatch, ItemContent};
use super::page_reader::PageReader;
use crate::error::Result;
use crate::key_layout::ITEMS;
use crate::query::continuation::ContinuationPosition;
use crate::query::target::PartitionSlice;
use crate::record::ItemRecord;

/// Scans the items of some slices.
pub(in crate::query) struct ScanSource {
    /// The key ranges still to be read, the next one last.
    remaining: Vec<(PartitionSlice, KeyRange)>,
}

impl ScanSource {
    pub(in crate::query) fn new(slices: &[PartitionSlice], after: Option<&StorageKey>) -> Self {
        let remaining = slices.iter().rev().filter_map(|slice| {
            let keys = slice.item_keys();
            let keys = match after {
                // Slices are sorted by epk, so a key lies in one slice, after all earlier and before all later ones.
                Some(after) if keys.contains(after) => {
                    keys.after(after.clone(), Direction::Forward)
                }
                Some(after) if is_below(&keys, after) => return None,
                _ => keys,
            };
            Some((slice.clone(), keys))
        });
        Self { remaining: remaining.collect() }
    }

    pub(in crate::query) async fn next(
        &mut self,
        reader: &mut PageReader,
        wanted: usize,
    ) -> Result<CandidateBatch> {
        let mut batch = CandidateBatch { candidates: Vec::new(), reached: None, is_last: true };
        let Some((slice, keys)) = self.remaining.last_mut() else { return Ok(batch) };
        let items_max = reader.batch_size(wanted);
        let page = reader.scan_items(slice.shard(), keys.clone(), items_max).await?;
        if let Some(last) = page.entries.last() {
            // Advanced before the entries are looked at: expired and excluded ones were read too.
            *keys = keys.after(last.key.clone(), Direction::Forward);
            batch.reached = Some(ContinuationPosition::Scan(last.key.clone()));
        }
        if !page.more {
            self.remaining.pop();
        }
        for entry in page.entries {
            let record = ItemRecord::decode(entry.value)?;
            if let Some(record) = reader.visible_record(record) {
                batch.candidates.push(Candidate {
                    ordinal: record.header.position.ordinal,
                    content: ItemContent::Record(record),
                    position: ContinuationPosition::Scan(entry.key),
                });
            }
        }
        batch.is_last = self.remaining.is_empty();
        Ok(batch)
    }

    /// Whether there are more items, expired or not.
    pub(in crate::query) async fn find_more(&self, reader: &PageReader) -> Result<bool> {
        for (slice, keys) in self.remaining.iter().rev() {
            if reader.find_entry(slice.shard(), ITEMS, keys).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether all keys of a range are before a key.
pub(super) fn is_below(keys: &KeyRange, key: &StorageKey) -> bool {
    match &keys.upper {
        std::ops::Bound::Excluded(upper) => upper <= key,
        std::ops::Bound::Included(upper) => upper < key,
        std::ops::Bound::Unbounded => false,
    }
}
