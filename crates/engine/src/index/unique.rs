//! Derives the unique keys of an item.
//!
//! Only the storage keys; the check that they do not exist yet is part of the write.

use model::{Json, UniqueKey};
use storage::StorageKey;

use crate::key_layout::{ItemKey, unique_key};
use crate::ordered_bytes::push_value;

/// One storage key per unique key of the container. An absent property counts as the value undefined, as in the
/// service.
pub(crate) fn unique_keys_of(
    unique_keys: &[UniqueKey],
    key: &ItemKey,
    item: &Json,
) -> Vec<StorageKey> {
    let partition = key.partition();
    unique_keys
        .iter()
        // A container has at most ten unique keys.
        .zip(0_u8..)
        .map(|(unique, number)| {
            let mut values = Vec::new();
            for path in unique.paths() {
                push_value(&mut values, path.resolve(item));
            }
            unique_key(&partition, number, &values)
        })
        .collect()
}
