//! Pages of scans that were read lately.
//!
//! Owns which scans have a place: those of a short page inside one region, the keys with the same beginning. A write
//! to a region empties it, so a page is here only while nothing around it is written; elsewhere in the shard anything
//! may be. A logical partition's index terms of one kind are a region. Does not own the tree.

use std::hash::BuildHasher;
use std::ops::Bound;

use bytes::{Bytes, BytesMut};
use foldhash::fast::RandomState;
use storage::{Direction, Entry, Scan, ScanPage, Shard, Space};

use super::shelf::Label;
use crate::keyspaces::SHARD_BYTES;

/// Bytes of the tree's keys that those of a region share.
pub(super) const REGION_BYTES: usize = SHARD_BYTES + 17;
/// Entries of a page that is kept at most.
const ENTRIES_MAX: usize = 128;
/// What a page and an entry take besides keys and values, roughly.
const PAGE_BYTES: usize = 512;
const ENTRY_BYTES: usize = 64;

/// A scan whose page may be kept.
pub(crate) struct NamedScan<'scan> {
    pub(super) label: Label,
    pub(super) shard: Shard,
    pub(super) space: Space,
    pub(super) scan: &'scan Scan,
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
        let beginning = lower.get(..REGION_BYTES - SHARD_BYTES)?;
        if scan.limit.entries_max > ENTRIES_MAX || !upper.starts_with(beginning) {
            return None;
        }
        let place = region(hashes, shard, space, beginning);
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

/// The region of keys of a shard with this beginning, hashed.
pub(super) fn region(hashes: &RandomState, shard: Shard, space: Space, beginning: &[u8]) -> u64 {
    let mut region = [0; REGION_BYTES];
    let (head, tail) = region.split_at_mut(SHARD_BYTES);
    head.copy_from_slice(&shard.0.to_be_bytes());
    tail.copy_from_slice(beginning);
    place(hashes, space, &region)
}

/// The region of a key of the tree, hashed.
pub(super) fn place(hashes: &RandomState, space: Space, region: &[u8]) -> u64 {
    hashes.hash_one((space.number, region))
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
