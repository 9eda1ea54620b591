//! The request charge of point operations: the one table.
//!
//! Owns the published size steps and the price of index terms, in 1/21 request units. Pure. Does not own queries,
//! profiles or throttling, which come with the bill.

use model::RequestCharge;

/// Price of one index term; every indexed leaf has two.
const TERM_UNITS: u64 = 4;
/// A failed write (not found, conflict, precondition).
const FAILED_WRITE_UNITS: u64 = 26;
/// One patch operation, on top of the replace it amounts to.
const PATCH_OPERATION_UNITS: u64 = 8;

/// Size step in KB, units to read, units to write.
const STEPS: [(u64, u64, u64); 12] = [
    (1, 21, 104),
    (2, 22, 132),
    (4, 24, 140),
    (8, 28, 148),
    (16, 35, 200),
    (32, 46, 236),
    (64, 100, 476),
    (128, 209, 1012),
    (256, 426, 2064),
    (512, 860, 3876),
    (1024, 3064, 13125),
    (2048, 6128, 26250),
];

/// What an item weighs on the bill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    pub(crate) bytes: usize,
    /// Indexed scalar leaves, without system properties.
    pub(crate) leaves: u64,
}

fn step(bytes: usize) -> (u64, u64) {
    let bytes = bytes as u64;
    STEPS
        .iter()
        .find(|(kilobytes, ..)| bytes <= kilobytes * 1024)
        .or(STEPS.last())
        .map_or((0, 0), |&(_, read, write)| (read, write))
}

pub(crate) fn read(bytes: usize) -> RequestCharge {
    RequestCharge::from_units(step(bytes).0)
}

/// A read that finds nothing, or an empty page.
pub(crate) fn nothing_found() -> RequestCharge {
    RequestCharge::from_units(21)
}

pub(crate) fn create(new: Weight) -> RequestCharge {
    RequestCharge::from_units(step(new.bytes).1 + 2 * TERM_UNITS * new.leaves)
}

pub(crate) fn delete(old: Weight) -> RequestCharge {
    create(old)
}

/// A replace writes the new and clears the old; `changed_leaves` counts removed and added ones. A replace that changes
/// none still moves the timestamp, which is indexed.
pub(crate) fn replace(old_bytes: usize, new_bytes: usize, changed_leaves: u64) -> RequestCharge {
    let terms = if changed_leaves == 0 { 2 } else { 2 * changed_leaves };
    RequestCharge::from_units(step(new_bytes).1 + step(old_bytes).1 + TERM_UNITS * terms)
}

pub(crate) fn patch_operations(count: usize) -> RequestCharge {
    RequestCharge::from_units(PATCH_OPERATION_UNITS * count as u64)
}

pub(crate) fn failed_write() -> RequestCharge {
    RequestCharge::from_units(FAILED_WRITE_UNITS)
}

pub(crate) fn metadata_read() -> RequestCharge {
    RequestCharge::from_units(21)
}

pub(crate) fn metadata_write() -> RequestCharge {
    RequestCharge::from_units(104)
}

/// A page of a feed costs the point reads of its items, and one request unit at least.
pub(crate) fn feed_page(item_bytes: impl Iterator<Item = usize>) -> RequestCharge {
    let units: u64 = item_bytes.map(|bytes| step(bytes).0).sum();
    RequestCharge::from_units(units.max(21))
}

/// A page of a query: a fixed part, the first use of the index, each seek, and what was touched. Figures in thousandths
/// of a request unit.
pub(crate) fn query_page(metrics: &crate::query::QueryMetrics) -> RequestCharge {
    const OPEN: u64 = 2250;
    const FIRST_INDEX_USE: u64 = 430;
    const SEEK: u64 = 105;
    const LOADED_ITEM: u64 = 19;
    const LOADED_KILOBYTE: u64 = 40;
    const SCANNED_ITEM: u64 = 14;
    const SCANNED_KILOBYTE: u64 = 8;
    const TERM: u64 = 4;
    let (items, scanned) = (metrics.items_loaded, metrics.items_scanned);
    let retrieved = metrics.retrieved_items.max(1);
    let kilobytes = metrics.retrieved_bytes / 1024;
    let scanned_kilobytes = kilobytes * scanned / retrieved;
    let thousandths = OPEN
        + if metrics.index_seeks > 0 { FIRST_INDEX_USE } else { 0 }
        + SEEK * metrics.index_seeks
        + LOADED_ITEM * items
        + LOADED_KILOBYTE * (kilobytes - scanned_kilobytes)
        + SCANNED_ITEM * scanned
        + SCANNED_KILOBYTE * scanned_kilobytes
        + TERM * metrics.index_entries;
    RequestCharge::from_units((thousandths * 21).div_ceil(1000))
}
