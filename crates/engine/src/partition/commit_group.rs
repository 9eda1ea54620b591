//! Transactions that a partition writer commits together.
//!
//! Owns what a group collects and when it is full. Does not own the commit: see `writer`.

use std::collections::HashSet;

use storage::{StorageKey, Write, WriteSet};

use super::transaction::QueuedTransaction;
use crate::settings::EngineSettings;

/// Transactions that are committed together.
#[derive(Default)]
pub(super) struct CommitGroup {
    pub(super) sets: Vec<WriteSet>,
    /// One transaction per set, in the same order.
    pub(super) transactions: Vec<Box<dyn QueuedTransaction>>,
    pub(super) touched_keys: HashSet<StorageKey>,
    /// The items of each set.
    pub(super) touched_items: Vec<Vec<StorageKey>>,
    /// Whether one of the transactions kept no versions of what it replaced or deleted.
    pub(super) loses_versions: bool,
    bytes: usize,
    /// Whether a transaction must see this group, or the previous one, in the store first. Transactions behind it have
    /// to wait too, because the queue is first in, first out.
    pub(super) is_closed: bool,
}

impl CommitGroup {
    /// Whether one more transaction may be added.
    pub(super) fn has_room(&self, settings: &EngineSettings) -> bool {
        // Asked before a transaction is added, so that one larger than the limit still gets a group of its own.
        !self.is_closed
            && self.sets.len() < settings.group_operations_max
            && self.bytes <= settings.group_bytes_max
    }

    /// Adds the size of a write set.
    pub(super) fn count_bytes(&mut self, set: &WriteSet) {
        self.bytes += set
            .writes
            .iter()
            .map(|write| match write {
                Write::Put { key, value, .. } => key.len() + value.len(),
                Write::Remove { key, .. } => key.len(),
            })
            .sum::<usize>();
    }
}
