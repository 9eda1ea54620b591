//! Cache keys of scan pages.
//!
//! Owns which scans are cached: those of a short page whose two bounds lie under one key prefix, so that a write to
//! anything inside the range invalidates the page. Does not own the entries.

use std::hash::BuildHasher;
use std::ops::Bound;

use bytes::{Bytes, BytesMut};
use foldhash::fast::RandomState;
use storage::{Direction, Entry, Scan, ScanPage, Shard, Space};

use super::key_prefix::KeyPrefix;
use super::sharded::EntryHash;

/// A page with a higher limit is not cached.
const ENTRIES_MAX: usize = 128;
/// Approximate memory of a page and of one of its entries, besides keys and values.
const PAGE_OVERHEAD_BYTES: usize = 512;
const ENTRY_OVERHEAD_BYTES: usize = 64;

/// A scan whose page may be cached, hashed once for lookup and insertion.
pub(crate) struct PageLookup<'scan> {
    hash: EntryHash,
    shard: Shard,
    space: Space,
    scan: &'scan Scan,
}

/// The key under which a page is stored.
pub(super) struct PageKey {
    shard: Shard,
    space: u8,
    scan: Scan,
}

impl<'scan> PageLookup<'scan> {
    /// `None` if pages of this scan are never cached.
    pub(super) fn new(
        hasher: &RandomState,
        shard: Shard,
        space: Space,
        scan: &'scan Scan,
    ) -> Option<Self> {
        let lower = bounded_key(&scan.range.lower)?;
        // Both bounds must lie under the prefix, or a write outside of it could belong into the page.
        let upper = bounded_key(&scan.range.upper)?;
        let prefix = KeyPrefix::new(shard, space, lower)?;
        if scan.limit.entries_max > ENTRIES_MAX || !prefix.matches(upper) {
            return None;
        }
        let scope = prefix.scope(hasher);
        let is_forward = scan.direction == Direction::Forward;
        let key = hasher.hash_one((scope, is_forward, scan.limit.entries_max, lower, upper));
        Some(Self { hash: EntryHash { scope, key }, shard, space, scan })
    }

    pub(super) fn hash(&self) -> EntryHash {
        self.hash
    }

    pub(super) fn matches(&self, key: &PageKey) -> bool {
        let PageKey { shard, space, scan } = key;
        *shard == self.shard && *space == self.space.number && scan == self.scan
    }

    pub(super) fn to_key(&self) -> PageKey {
        PageKey { shard: self.shard, space: self.space.number, scan: self.scan.clone() }
    }
}

fn bounded_key(bound: &Bound<Bytes>) -> Option<&Bytes> {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) => Some(key),
        Bound::Unbounded => None,
    }
}

/// Approximate memory of a cached page.
pub(super) fn cached_bytes(page: &ScanPage) -> usize {
    let bytes = |entry: &Entry| ENTRY_OVERHEAD_BYTES + entry.key.len() + entry.value.len();
    PAGE_OVERHEAD_BYTES + page.entries.iter().map(bytes).sum::<usize>()
}

/// A copy of the page in one allocation. The original shares its allocations with blocks of the tree and with other
/// pages, and a cached reference would keep all of them in memory.
pub(super) fn compact(page: &ScanPage) -> ScanPage {
    let bytes = page.entries.iter().map(|entry| entry.key.len() + entry.value.len()).sum();
    let mut buffer = BytesMut::with_capacity(bytes);
    for entry in &page.entries {
        buffer.extend_from_slice(&entry.key);
        buffer.extend_from_slice(&entry.value);
    }
    let mut buffer = buffer.freeze();
    let entries = page.entries.iter().map(|entry| {
        let key = buffer.split_to(entry.key.len());
        Entry { key, value: buffer.split_to(entry.value.len()) }
    });
    ScanPage { entries: entries.collect(), more: page.more }
}
