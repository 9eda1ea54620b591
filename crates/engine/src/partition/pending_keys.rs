//! Keys that a transaction must not read from the store yet.
//!
//! Owns the look-up by key. Does not own what happens to a transaction that needs such a key: the writer defers it.

use std::collections::HashSet;
use std::sync::LazyLock;

use storage::StorageKey;

/// Item keys and unique keys that earlier transactions have written but that the store may not return yet.
#[derive(Clone, Copy)]
pub(crate) struct PendingKeys<'group> {
    in_group: &'group HashSet<StorageKey>,
    /// Keys of the previous group, whose commit is in progress.
    committing: &'group HashSet<StorageKey>,
}

impl<'group> PendingKeys<'group> {
    /// No keys: for a transaction that reads one snapshot.
    pub(crate) fn none() -> PendingKeys<'static> {
        static NO_KEYS: LazyLock<HashSet<StorageKey>> = LazyLock::new(HashSet::new);
        PendingKeys { in_group: &NO_KEYS, committing: &NO_KEYS }
    }

    pub(super) fn new(
        in_group: &'group HashSet<StorageKey>,
        committing: &'group HashSet<StorageKey>,
    ) -> Self {
        Self { in_group, committing }
    }

    pub(crate) fn contains(self, key: &StorageKey) -> bool {
        self.in_group.contains(key) || self.committing.contains(key)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.in_group.is_empty() && self.committing.is_empty()
    }
}
