//! The charge of point operations, batches of them and feeds, in 1/21 request units.
//!
//! Owns the formula for one item. A batch is the sum of its operations and nothing else. Does not own what an index
//! costs (`index_cost`), only that it is added.

use super::profile::{ChargeProfile, consistency_factor};
use super::size::size_step;
use super::{LEAF_UNITS, TERM_UNITS};
use crate::{ConsistencyLevel, RequestCharge};

/// A read that finds nothing, a read that answers "not modified", an empty page: one request unit.
const NOTHING_FOUND_UNITS: u64 = 21;
/// A write that is refused: no item, a conflict, a precondition.
const FAILED_WRITE_UNITS: u64 = 26;
/// Reading a database, a container, an offer.
const METADATA_READ_UNITS: u64 = 21;
/// Writing one.
const METADATA_WRITE_UNITS: u64 = 104;

/// A point read of an item of so many bytes.
#[must_use]
pub fn point_read(bytes: usize, level: ConsistencyLevel) -> RequestCharge {
    RequestCharge::from_units(size_step(bytes).read_units * consistency_factor(level))
}

/// A read that finds nothing or answers "not modified", or an empty page of a feed in one physical partition.
#[must_use]
pub fn nothing_found(level: ConsistencyLevel) -> RequestCharge {
    RequestCharge::from_units(NOTHING_FOUND_UNITS * consistency_factor(level))
}

/// A create: the write, and what the index costs.
#[must_use]
pub fn create(bytes: usize, index_units: u64) -> RequestCharge {
    RequestCharge::from_units(size_step(bytes).write_units + index_units)
}

/// A delete costs what the create of the same item does.
#[must_use]
pub fn delete(old_bytes: usize, index_units: u64) -> RequestCharge {
    create(old_bytes, index_units)
}

/// A replace: the write of the new version, the removal of the old one as the profile has it, and the index of what was
/// removed and added. A replace of an indexed item that changes nothing indexed still moves its timestamp, which is;
/// `changed_units` is none when the item is not indexed at all.
#[must_use]
pub fn replace(
    profile: ChargeProfile,
    old_bytes: usize,
    new_bytes: usize,
    changed_units: Option<u64>,
) -> RequestCharge {
    let removal = profile.removals_paid() * size_step(old_bytes).write_units;
    let index = match changed_units {
        None => 0,
        Some(0) => 2 * TERM_UNITS,
        Some(units) => units,
    };
    RequestCharge::from_units(size_step(new_bytes).write_units + removal + index)
}

/// What the operations of a patch cost on top of the replace that it amounts to.
#[must_use]
pub fn patch_operations(count: usize) -> RequestCharge {
    RequestCharge::from_units(LEAF_UNITS * count as u64)
}

/// A write that is refused.
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

/// A page of a feed costs the point reads of its items, and one request unit at least for each physical partition
/// asked.
#[must_use]
pub fn feed_page(
    item_bytes: impl Iterator<Item = usize>,
    partitions: u64,
    level: ConsistencyLevel,
) -> RequestCharge {
    let units: u64 = item_bytes.map(|bytes| size_step(bytes).read_units).sum();
    let least = NOTHING_FOUND_UNITS * partitions.max(1);
    RequestCharge::from_units(units.max(least) * consistency_factor(level))
}
