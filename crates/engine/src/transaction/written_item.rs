//! An item that was written, and what its request charge depends on.
//!
//! Owns the weights of the old and the new version and the difference of their index costs. Does not own prices.

use model::ItemTimeToLive;
use model::charge::IndexCost;
use storage::StorageKey;

use crate::charge::{Weight, WriteCost};
use crate::index::{IndexedLeaf, ItemTerms};
use crate::key_layout::expiry_key;
use crate::record::ItemRecord;

/// An item that was written, before its lsn is known.
#[derive(Clone, Debug)]
pub(crate) struct WrittenItem {
    pub(crate) record: ItemRecord,
    pub(crate) cost: WriteCost,
}

/// What a removal is charged by.
pub(crate) struct RemovalCost {
    pub(crate) weight: Weight,
    /// The cost of its index, path by path, for an explanation.
    pub(crate) index: Option<Vec<IndexCost>>,
}

pub(super) fn weight(record: Option<&ItemRecord>, terms: &ItemTerms) -> Weight {
    let index_units = terms.leaves.iter().map(|leaf| leaf.units).sum();
    Weight { bytes: record.map_or(0, ItemRecord::own_bytes), index_units }
}

/// The price of the leaves that only one of both versions has.
pub(super) fn changed_units(old: &ItemTerms, new: &ItemTerms) -> Option<u64> {
    // Neither version is indexed: the price of a write without an index is another, not one with zero changes.
    if old.entries.is_empty() && new.entries.is_empty() {
        return None;
    }
    let sum = |leaves: &[IndexedLeaf]| leaves.iter().map(|leaf| leaf.units).sum::<u64>();
    if old.leaves.is_empty() || new.leaves.is_empty() {
        // All of them, without sorting.
        return Some(sum(&old.leaves) + sum(&new.leaves));
    }
    // Merged as sorted lists, not as sets: equal elements of an array are one term but are charged each.
    let sorted = |leaves: &[IndexedLeaf]| {
        let mut leaves = leaves.to_vec();
        leaves.sort_unstable();
        leaves
    };
    let (old, new) = (sorted(&old.leaves), sorted(&new.leaves));
    let (mut old, mut new) = (old.as_slice(), new.as_slice());
    let mut units = 0;
    loop {
        let shorter = match (old, new) {
            ([left, ..], [right, ..]) if left == right => {
                (old, new) = (old.get(1..)?, new.get(1..)?);
                continue;
            }
            ([left, ..], [right, ..]) if left < right => &mut old,
            ([_, ..], []) => &mut old,
            ([], []) => return Some(units),
            _ => &mut new,
        };
        let (first, rest) = shorter.split_first()?;
        units += first.units;
        *shorter = rest;
    }
}

/// The key of an item with a time to live of its own in the space `expiry`.
pub(crate) fn own_expiry(record: &ItemRecord) -> Option<StorageKey> {
    let ItemTimeToLive::Seconds(seconds) = record.header.time_to_live? else { return None };
    let expires_at = record.header.timestamp.0 + u64::from(seconds);
    Some(expiry_key(expires_at, record.header.position.ordinal))
}
