//! Pages of scans that were read lately.
//!
//! Owns which scans have a place: those of a short page inside one region. Does not own the tree.

use std::hash::BuildHasher;
use std::ops::Bound;

use bytes::{Bytes, BytesMut};
use foldhash::fast::RandomState;
use storage::{Direction, Entry, Scan, ScanPage, Shard, Space};

use super::region::{beginning, place};
use super::shelf::Label;

/// Entries of a page that is kept at most.
const ENTRIES_MAX: usize = 128;
/// What a page and an entry take besides keys and values, roughly.
const PAGE_BYTES: usize = 512;
const ENTRY_BYTES: usize = 64;

/// A scan whose page may be kept.
pub(crate) struct NamedScan<'scan> {
    pub(super) label: Label,
    shard: Shard,
    space: Space,
    scan: &'scan Scan,
}

/// The scan of a page that is kept.
pub(super) struct PageName {
    shard: Shard,
    space: u8,
    scan: Scan,
}

impl<'scan> NamedScan<'scan> {
    /// Names a scan; none when its page is not kept.
    pub(super) fn new(
        hashes: &RandomState,
        shard: Shard,
        space: Space,
        scan: &'scan Scan,
    ) -> Option<Self> {
        let (lower, upper) = (bound(&scan.range.lower)?, bound(&scan.range.upper)?);
        let beginning = beginning(lower)?;
        if scan.limit.entries_max > ENTRIES_MAX || !upper.starts_with(beginning) {
            return None;
        }
        let place = place(hashes, shard, space, beginning);
        let is_forward = scan.direction == Direction::Forward;
        let name = hashes.hash_one((place, is_forward, scan.limit.entries_max, lower, upper));
        Some(Self { label: Label { place, name }, shard, space, scan })
    }

    pub(super) fn is(&self, name: &PageName) -> bool {
        let PageName { shard, space, scan } = name;
        *shard == self.shard && *space == self.space.number && scan == self.scan
    }

    pub(super) fn to_name(&self) -> PageName {
        PageName { shard: self.shard, space: self.space.number, scan: self.scan.clone() }
    }
}

fn bound(bound: &Bound<Bytes>) -> Option<&Bytes> {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) => Some(key),
        Bound::Unbounded => None,
    }
}

/// Bytes that a page takes when it is kept, roughly.
pub(super) fn kept_bytes(page: &ScanPage) -> usize {
    let bytes = |entry: &Entry| ENTRY_BYTES + entry.key.len() + entry.value.len();
    PAGE_BYTES + page.entries.iter().map(bytes).sum::<usize>()
}

/// The same page in one allocation: entries may share theirs with blocks and with pages of their neighbours.
pub(super) fn compact(page: &ScanPage) -> ScanPage {
    let bytes = page.entries.iter().map(|entry| entry.key.len() + entry.value.len()).sum();
    let mut room = BytesMut::with_capacity(bytes);
    for entry in &page.entries {
        room.extend_from_slice(&entry.key);
        room.extend_from_slice(&entry.value);
    }
    let mut room = room.freeze();
    let entries = page.entries.iter().map(|entry| {
        let key = room.split_to(entry.key.len());
        Entry { key, value: room.split_to(entry.value.len()) }
    });
    ScanPage { entries: entries.collect(), more: page.more }
}
