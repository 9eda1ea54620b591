//! Values that were read together lately.
//!
//! Owns which reads have a place: those of a few keys in one region. All values lie in one allocation, one behind the
//! other as they are wanted: a page of a query that is asked for again reads one stretch of memory. Does not own the
//! tree.

use std::hash::BuildHasher;

use bytes::BytesMut;
use foldhash::fast::RandomState;
use storage::{Shard, Space, StorageKey, StorageValue};

use super::region::{beginning, place};
use super::shelf::Label;

/// Fewer values are found as quickly one by one.
const KEYS_MIN: usize = 4;
const KEYS_MAX: usize = 128;
/// What such keys and a value take besides keys and bytes, roughly.
const KEYS_BYTES: usize = 512;
const VALUE_BYTES: usize = 96;

/// Values in the order of their keys; none for a key without one.
pub(super) type Values = Vec<Option<StorageValue>>;

/// Keys whose values may be kept together.
pub(crate) struct NamedKeys<'keys> {
    pub(super) label: Label,
    shard: Shard,
    space: Space,
    keys: &'keys [StorageKey],
}

/// The keys of values that are kept.
pub(super) struct KeysName {
    shard: Shard,
    space: u8,
    keys: Vec<StorageKey>,
}

impl<'keys> NamedKeys<'keys> {
    /// Names some keys; none when their values are not kept together.
    pub(super) fn new(
        hashes: &RandomState,
        shard: Shard,
        space: Space,
        keys: &'keys [StorageKey],
    ) -> Option<Self> {
        if !(KEYS_MIN..=KEYS_MAX).contains(&keys.len()) {
            return None;
        }
        let beginning = beginning(keys.first()?)?;
        if !keys.iter().all(|key| key.starts_with(beginning)) {
            return None;
        }
        let place = place(hashes, shard, space, beginning);
        let label = Label { place, name: hashes.hash_one((place, keys)) };
        Some(Self { label, shard, space, keys })
    }

    pub(super) fn is(&self, name: &KeysName) -> bool {
        let KeysName { shard, space, keys } = name;
        *shard == self.shard && *space == self.space.number && keys == self.keys
    }

    pub(super) fn to_name(&self) -> KeysName {
        KeysName { shard: self.shard, space: self.space.number, keys: self.keys.to_vec() }
    }

    /// Bytes that the values take when they are kept, roughly.
    pub(super) fn kept_bytes(&self, values: &Values) -> usize {
        let keys: usize = self.keys.iter().map(|key| VALUE_BYTES + key.len()).sum();
        KEYS_BYTES + keys + values.iter().flatten().map(StorageValue::len).sum::<usize>()
    }
}

/// The same values in one allocation.
pub(super) fn compact(values: &Values) -> Values {
    let bytes = values.iter().flatten().map(StorageValue::len).sum();
    let mut room = BytesMut::with_capacity(bytes);
    values.iter().flatten().for_each(|value| room.extend_from_slice(value));
    let mut room = room.freeze();
    values.iter().map(|value| value.as_ref().map(|value| room.split_to(value.len()))).collect()
}
