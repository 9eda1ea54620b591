//! The unique keys of one item.
//!
//! Owns the derivation of storage keys that must not repeat inside a logical partition. Does not own the check: the
//! turn looks the keys up before it writes them.

use model::{Json, UniqueKey};
use storage::StorageKey;

use crate::key_layout::{ItemKey, unique_key};
use crate::ordered_bytes::push_value;

/// One storage key per unique key of the container; a missing property counts as undefined, as the service has it.
pub(crate) fn unique_keys_of(
    unique_keys: &[UniqueKey],
    key: &ItemKey,
    item: &Json,
) -> Vec<StorageKey> {
    let partition = key.partition();
    unique_keys
        .iter()
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
