//! Cache keys of multi-get results.
//!
//! Owns which multi-gets are cached: those of a few keys under one key prefix. The values of one result share one
//! allocation, in the order of the keys, so a repeated query page reads one contiguous piece of memory. Does not own
//! the entries.

use std::hash::BuildHasher;

use bytes::BytesMut;
use foldhash::fast::RandomState;
use storage::{Shard, Space, StorageKey, StorageValue};

use super::key_prefix::KeyPrefix;
use super::sharded::EntryHash;

/// Fewer values are found just as fast one by one.
const KEYS_MIN: usize = 4;
const KEYS_MAX: usize = 128;
/// Approximate memory of a result and of one of its values, besides keys and bytes.
const RESULT_OVERHEAD_BYTES: usize = 512;
const VALUE_OVERHEAD_BYTES: usize = 96;

/// Values in the order of their keys; `None` for an absent key.
pub(super) type Values = Vec<Option<StorageValue>>;

/// Keys whose values may be cached as one entry, hashed once for lookup and insertion.
pub(crate) struct MultiGetLookup<'keys> {
    hash: EntryHash,
    shard: Shard,
    space: Space,
    keys: &'keys [StorageKey],
}

/// The key under which a multi-get result is stored.
pub(super) struct MultiGetKey {
    shard: Shard,
    space: u8,
    keys: Vec<StorageKey>,
}

impl<'keys> MultiGetLookup<'keys> {
    /// `None` if the values of these keys are never cached as one entry.
    pub(super) fn new(
        hasher: &RandomState,
        shard: Shard,
        space: Space,
        keys: &'keys [StorageKey],
    ) -> Option<Self> {
        if !(KEYS_MIN..=KEYS_MAX).contains(&keys.len()) {
            return None;
        }
        let prefix = KeyPrefix::new(shard, space, keys.first()?)?;
        // A result under two prefixes would have to be invalidated by writes to either.
        if !keys.iter().all(|key| prefix.matches(key)) {
            return None;
        }
        let scope = prefix.scope(hasher);
        let hash = EntryHash { scope, key: hasher.hash_one((scope, keys)) };
        Some(Self { hash, shard, space, keys })
    }

    pub(super) fn hash(&self) -> EntryHash {
        self.hash
    }

    pub(super) fn matches(&self, key: &MultiGetKey) -> bool {
        let MultiGetKey { shard, space, keys } = key;
        // Compared in full: a hash alone could return the values of other keys.
        *shard == self.shard && *space == self.space.number && keys == self.keys
    }

    pub(super) fn to_key(&self) -> MultiGetKey {
        MultiGetKey { shard: self.shard, space: self.space.number, keys: self.keys.to_vec() }
    }

    /// Approximate memory of the cached result.
    pub(super) fn cached_bytes(&self, values: &Values) -> usize {
        let keys: usize = self.keys.iter().map(|key| VALUE_OVERHEAD_BYTES + key.len()).sum();
        RESULT_OVERHEAD_BYTES + keys + values.iter().flatten().map(StorageValue::len).sum::<usize>()
    }
}

/// A copy of the values in one allocation.
pub(super) fn compact(values: &Values) -> Values {
    let bytes = values.iter().flatten().map(StorageValue::len).sum();
    let mut buffer = BytesMut::with_capacity(bytes);
    values.iter().flatten().for_each(|value| buffer.extend_from_slice(value));
    let mut buffer = buffer.freeze();
    values.iter().map(|value| value.as_ref().map(|value| buffer.split_to(value.len()))).collect()
}
