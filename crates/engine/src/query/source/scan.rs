//! All items, in the order of their keys.
//!
//! Owns the walk over the pieces of a query without an index. The place is the last key read: keys begin with their
//! epk, so the place means the same after a split or merge.

use storage::{Direction, KeyRange, StorageKey};

use super::candidate::{Batch, Candidate, Content};
use super::reading::Reading;
use crate::error::Result;
use crate::item::ItemRecord;
use crate::query::part::Piece;
use crate::query::token::Place;

/// The items of some pieces.
pub(in crate::query) struct ItemScan {
    /// What is left, the next piece last.
    left: Vec<(Piece, KeyRange)>,
}

impl ItemScan {
    pub(in crate::query) fn new(pieces: &[Piece], after: Option<&StorageKey>) -> Self {
        let left = pieces.iter().rev().filter_map(|piece| {
            let keys = piece.item_keys();
            let keys = match after {
                // Keys of pieces before the place are all below it, those of later pieces all above.
                Some(after) if keys.contains(after) => {
                    keys.after(after.clone(), Direction::Forward)
                }
                Some(after) if is_below(&keys, after) => return None,
                _ => keys,
            };
            Some((piece.clone(), keys))
        });
        Self { left: left.collect() }
    }

    pub(in crate::query) async fn next(
        &mut self,
        reading: &mut Reading,
        wanted: usize,
    ) -> Result<Batch> {
        let mut batch = Batch { candidates: Vec::new(), reached: None, is_last: true };
        let Some((piece, keys)) = self.left.last_mut() else { return Ok(batch) };
        let items_max = reading.batch_items(wanted);
        let page = reading.scan_items(piece.shard(), keys.clone(), items_max).await?;
        if let Some(last) = page.entries.last() {
            *keys = keys.after(last.key.clone(), Direction::Forward);
            batch.reached = Some(Place::Scan(last.key.clone()));
        }
        if !page.more {
            self.left.pop();
        }
        for entry in page.entries {
            let record = ItemRecord::decode(entry.value)?;
            if let Some(record) = reading.living(record) {
                batch.candidates.push(Candidate {
                    ordinal: record.header.position.ordinal,
                    content: Content::Record(record),
                    place: Place::Scan(entry.key),
                });
            }
        }
        batch.is_last = self.left.is_empty();
        Ok(batch)
    }
}

/// Whether all keys of a range lie before a key.
fn is_below(keys: &KeyRange, key: &StorageKey) -> bool {
    match &keys.upper {
        std::ops::Bound::Excluded(upper) => upper <= key,
        std::ops::Bound::Included(upper) => upper < key,
        std::ops::Bound::Unbounded => false,
    }
}
