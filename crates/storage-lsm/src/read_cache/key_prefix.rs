//! Key prefixes: the unit in which cached pages and multi-get results are invalidated.
//!
//! Owns the hash of a prefix. Its length is declared with the space. A write to any key invalidates every page and
//! multi-get result that lies under the key's prefix, because a new neighbour may belong into the page. Writes under
//! other prefixes of the same shard leave them alone. A longer prefix invalidates less, but covers fewer scans.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use storage::{Shard, Space};

/// The first bytes of a key, with its shard and space.
#[derive(Clone, Copy)]
pub(super) struct KeyPrefix<'key> {
    shard: [u8; 4],
    space: u8,
    bytes: &'key [u8],
}

impl<'key> KeyPrefix<'key> {
    /// The prefix of a key of a shard; `None` if the key is shorter than a prefix.
    pub(super) fn new(shard: Shard, space: Space, key: &'key [u8]) -> Option<Self> {
        let bytes = key.get(..space.prefix_bytes)?;
        Some(Self { shard: shard.0.to_be_bytes(), space: space.number, bytes })
    }

    /// The prefix of a tree key, which starts with its shard.
    pub(super) fn of_tree_key(space: Space, tree_key: &'key [u8]) -> Option<Self> {
        let (shard, key) = tree_key.split_first_chunk()?;
        Some(Self { shard: *shard, space: space.number, bytes: key.get(..space.prefix_bytes)? })
    }

    /// Whether a key of the same shard and space starts with this prefix.
    pub(super) fn matches(&self, key: &[u8]) -> bool {
        key.starts_with(self.bytes)
    }

    /// The hash under which entries of this prefix are invalidated.
    pub(super) fn scope(&self, hasher: &RandomState) -> u64 {
        // Two prefixes with the same hash only invalidate each other's entries, which costs reads and never
        // correctness.
        hasher.hash_one((self.space, self.shard, self.bytes))
    }
}
