//! What a turn cannot see in the store although it comes first.
//!
//! Owns the look-up by key. Does not own who waits for what: the partition's writer does.

use std::collections::HashSet;

use storage::StorageKey;

/// Keys that earlier transactions have written but that the store may not show yet.
#[derive(Clone, Copy)]
pub(crate) struct Unseen<'turn> {
    pub(crate) in_group: &'turn HashSet<StorageKey>,
    /// Those of the group before, which is being committed.
    pub(crate) on_their_way: &'turn HashSet<StorageKey>,
}

impl Unseen<'_> {
    pub(super) fn contains(self, key: &StorageKey) -> bool {
        self.in_group.contains(key) || self.on_their_way.contains(key)
    }

    pub(super) fn is_empty(self) -> bool {
        self.in_group.is_empty() && self.on_their_way.is_empty()
    }
}
