//! Regions: the keys of a shard and space with the same beginning.
//!
//! Owns how long that beginning is, and the place of what is known of a region. A write to a region empties its place,
//! so something is there only while nothing around it is written; elsewhere in the shard anything may be. Beginnings
//! are as long as the kind and the hash with which the engine's terms of one logical partition begin.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use storage::{Shard, Space};

use crate::keyspaces::SHARD_BYTES;

const BEGINNING_BYTES: usize = 17;
/// Bytes of the tree's keys that those of a region share.
pub(super) const REGION_BYTES: usize = SHARD_BYTES + BEGINNING_BYTES;

/// The beginning of a key; a shorter key lies in no region.
pub(super) fn beginning(key: &[u8]) -> Option<&[u8; BEGINNING_BYTES]> {
    key.first_chunk()
}

/// The place of the keys of a shard with this beginning.
pub(super) fn place(
    hashes: &RandomState,
    shard: Shard,
    space: Space,
    beginning: &[u8; BEGINNING_BYTES],
) -> u64 {
    let mut region = [0; REGION_BYTES];
    let (head, tail) = region.split_at_mut(SHARD_BYTES);
    head.copy_from_slice(&shard.0.to_be_bytes());
    tail.copy_from_slice(beginning);
    place_in_tree(hashes, space, &region)
}

/// The same by the beginning of a key of the tree.
pub(super) fn place_in_tree(
    hashes: &RandomState,
    space: Space,
    region: &[u8; REGION_BYTES],
) -> u64 {
    hashes.hash_one((space.number, region))
}
