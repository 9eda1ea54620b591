//! The charge of point operations, batches and feeds, in 1/21 request units.
//!
//! Owns the formula for one item. The charge of a batch is the sum of its operations. Does not own the cost of
//! indexing: see `index_cost`.

use super::profile::{ChargeProfile, consistency_factor};
use super::size::size_step;
use super::{LEAF_UNITS, TERM_UNITS};
use crate::{ConsistencyLevel, RequestCharge};

/// A read of a missing item, a read that returns "not modified", an empty page: one request unit.
const NOTHING_FOUND_UNITS: u64 = 21;
/// A failed write: missing item, conflict or precondition.
const FAILED_WRITE_UNITS: u64 = 26;
/// Reading a database, a container, an offer.
const METADATA_READ_UNITS: u64 = 21;
/// Writing a database, a container, an offer.
const METADATA_WRITE_UNITS: u64 = 104;

/// A point read of an item with this size.
#[must_use]
pub fn point_read(bytes: usize, level: ConsistencyLevel) -> RequestCharge {
    RequestCharge::from_units(size_step(bytes).read_units * consistency_factor(level))
}

/// A read that finds nothing or returns "not modified", or an empty page of a feed in one physical partition.
#[must_use]
pub fn nothing_found(level: ConsistencyLevel) -> RequestCharge {
    RequestCharge::from_units(NOTHING_FOUND_UNITS * consistency_factor(level))
}

/// A create: the write and its index entries.
#[must_use]
pub fn create(bytes: usize, index_units: u64) -> RequestCharge {
    RequestCharge::from_units(size_step(bytes).write_units + index_units)
}

/// A delete costs as much as the create of the same item.
#[must_use]
pub fn delete(old_bytes: usize, index_units: u64) -> RequestCharge {
    create(old_bytes, index_units)
}

/// A replace: the write of the new version, the removal of the old one depending on the profile, and the index entries
/// removed and added. A replace of an indexed item always changes the indexed timestamp, even if it changes no other
/// indexed value. `changed_units` is `None` when the item is not indexed.
#[must_use]
pub fn replace(
    profile: ChargeProfile,
    old_bytes: usize,
    new_bytes: usize,
    changed_units: Option<u64>,
) -> RequestCharge {
    // By the size of the old version: what is removed was written at that size.
    let removal = profile.removals_paid() * size_step(old_bytes).write_units;
    let index = match changed_units {
        None => 0,
        // The old and the new term of the timestamp.
        Some(0) => 2 * TERM_UNITS,
        Some(units) => units,
    };
    RequestCharge::from_units(size_step(new_bytes).write_units + removal + index)
}

/// The charge of the operations of a patch, in addition to that of the equivalent replace.
#[must_use]
pub fn patch_operations(count: usize) -> RequestCharge {
    RequestCharge::from_units(LEAF_UNITS * count as u64)
}

/// A failed write.
#[must_use]
pub const fn failed_write() -> RequestCharge {
    RequestCharge::from_units(FAILED_WRITE_UNITS)
}

/// Reading a database, a container, an offer.
#[must_use]
pub const fn metadata_read() -> RequestCharge {
    RequestCharge::from_units(METADATA_READ_UNITS)
}

/// Writing a database, a container, an offer.
#[must_use]
pub const fn metadata_write() -> RequestCharge {
    RequestCharge::from_units(METADATA_WRITE_UNITS)
}

/// A page of a feed costs as much as the point reads of its items, and at least one request unit for each physical
/// partition read.
#[must_use]
pub fn feed_page(
    item_bytes: impl Iterator<Item = usize>,
    partitions: u64,
    level: ConsistencyLevel,
) -> RequestCharge {
    let units: u64 = item_bytes.map(|bytes| size_step(bytes).read_units).sum();
    // An empty page reads each partition once.
    let minimum = NOTHING_FOUND_UNITS * partitions.max(1);
    RequestCharge::from_units(units.max(minimum) * consistency_factor(level))
}
