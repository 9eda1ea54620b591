//! Every entry that the store must hold for one item, derived from its record alone.
//!
//! This states a second time, independently, what a transaction writes step by step: copies of partitions are built
//! from it, and `verify` compares the store with it. Also what the index of one item costs, for explanations.

use std::collections::BTreeMap;

use model::Json;
use model::charge::{IndexCost, index_costs};
use storage::{Space, StorageKey, StorageValue};

use super::item_transaction::ItemTransaction;
use super::written_item::own_expiry;
use crate::container::CompiledProperties;
use crate::error::{Error, Result};
use crate::index::{terms_of, unique_keys_of};
use crate::key_layout::{CHANGE_LOG, EXPIRY, ITEMS, ItemKey, TERMS, UNIQUE_KEYS, creation_keys};
use crate::partition::EntryLayout;
use crate::record::{ItemRecord, LogEntry};

/// Storage entries by space and key.
pub(crate) type ItemEntries = BTreeMap<(Space, StorageKey), StorageValue>;

/// The entries of one item in the given layout. They include the list of its shape's paths, although all items of that
/// shape share it.
pub(crate) fn entries_of(
    compiled: &CompiledProperties,
    layout: EntryLayout,
    key: &ItemKey,
    record: &ItemRecord,
) -> Result<ItemEntries> {
    let item = record.parse()?;
    let mut entries = ItemEntries::new();
    entries.insert((ITEMS, key.as_bytes().clone()), record.as_bytes().clone());
    let position = record.header.position;
    // The newest version of an item is in the change log and never in the versions, so the log entry follows from the
    // record.
    entries.insert((CHANGE_LOG, position.key()), LogEntry::encode(key, record).into());
    for unique in unique_keys_of(&compiled.properties.unique_keys, key, &item) {
        entries.insert((UNIQUE_KEYS, unique), key.id_bytes());
    }
    if let Some(expiry) = own_expiry(record) {
        entries.insert((EXPIRY, expiry), key.as_bytes().clone());
    }
    if layout.is_listed {
        let listed = creation_keys(key, position.ordinal);
        entries.insert((TERMS, listed.local), key.id_bytes());
        entries.insert((TERMS, listed.global), key.as_bytes().clone());
    }
    if record.header.indexed {
        // Unlike a write, which treats a missing policy as "no terms", a copy or a verification must not guess.
        let policy = compiled.policy(layout.generation).ok_or_else(|| {
            Error::corrupt("an indexing policy that stored terms still follow is missing")
        })?;
        let terms = terms_of(policy, key, position.ordinal, &item);
        entries.extend(terms.entries.into_iter().map(|(key, value)| ((TERMS, key), value)));
        entries.extend(terms.shape.map(|(key, paths)| ((TERMS, key), paths)));
    }
    Ok(entries)
}

impl ItemTransaction<'_> {
    /// What the index of an item costs, path by path.
    pub(crate) fn index_costs(
        &self,
        key: &ItemKey,
        record: Option<&ItemRecord>,
        item: Option<&Json>,
    ) -> Vec<IndexCost> {
        let (Some(record), Some(item)) = (record, item) else { return Vec::new() };
        let policy = self.context.compiled.policy(self.state.generation_at(key.as_bytes()));
        let policy = policy.filter(|_| record.header.indexed);
        policy.map_or_else(Vec::new, |policy| index_costs(&policy.policy, item))
    }
}
