//! A transaction that only finds out what its writes would do.
//!
//! Owns the puts and removals of such a transaction: it sees stored items and its own writes, checks ids, preconditions
//! and unique keys, and makes the new version of each item, but no entries. Nothing of it is committed.

use std::collections::HashMap;

use model::Json;
use storage::{StorageKey, StorageValue};

use super::item_transaction::{ItemChange, ItemTransaction};
use super::written_item::{RemovalCost, WrittenItem};
use crate::charge::{Weight, WriteCost};
use crate::index::unique_keys_of;
use crate::key_layout::ItemKey;
use crate::partition::{Abort, TransactionContext};
use crate::record::{ItemRecord, SYSTEM_BYTES, set_system_properties};

/// What a rehearsal has written so far; it outlives one transaction.
#[derive(Debug, Default)]
pub(crate) struct RehearsedItems {
    pub(crate) items: HashMap<StorageKey, Option<ItemRecord>>,
    pub(crate) unique_keys: HashMap<StorageKey, Option<StorageValue>>,
}

impl<'run> ItemTransaction<'run> {
    /// Goes on with a rehearsal.
    pub(crate) fn rehearsal(context: TransactionContext<'run>, so_far: RehearsedItems) -> Self {
        let RehearsedItems { items, unique_keys } = so_far;
        Self { is_rehearsal: true, items, unique_keys, ..Self::new(context) }
    }

    /// What was written so far.
    pub(crate) fn into_rehearsed(self) -> RehearsedItems {
        RehearsedItems { items: self.items, unique_keys: self.unique_keys }
    }

    pub(super) async fn rehearse_put(
        &mut self,
        old_key: &ItemKey,
        key: &ItemKey,
        previous: Option<&ItemRecord>,
        change: ItemChange<'_>,
    ) -> Result<WrittenItem, Abort> {
        let header = self.header_for(previous, (change.time_to_live, change.indexed), None);
        let rid = self.context.container.item_rid(header.position.ordinal);
        if let Json::Object(object) = &mut *change.item {
            let self_link = self.context.container.self_link(&rid);
            set_system_properties(object, change.placement, &self_link, &rid, &header);
        }
        let item: &Json = change.item;
        let record = ItemRecord::new(header, item, change.bytes + SYSTEM_BYTES);
        if !self.context.compiled.properties.unique_keys.is_empty() {
            let old_item = previous.map(ItemRecord::parse).transpose()?;
            self.write_unique_keys(key, old_item.as_ref(), item).await?;
        }
        if old_key != key {
            self.items.insert(old_key.as_bytes().clone(), None);
        }
        self.items.insert(key.as_bytes().clone(), Some(record.clone()));
        let (old, new) = (Weight::default(), Weight::default());
        let created = previous.is_none();
        let cost = WriteCost { created, old, new, changed_units: None, versions: None };
        Ok(WrittenItem { record, cost })
    }

    pub(super) fn rehearse_removal(
        &mut self,
        key: &ItemKey,
        record: &ItemRecord,
    ) -> Result<RemovalCost, Abort> {
        let unique_keys = &self.context.compiled.properties.unique_keys;
        if !unique_keys.is_empty() {
            let released = unique_keys_of(unique_keys, key, &record.parse()?);
            self.release_unique_keys(released);
        }
        self.items.insert(key.as_bytes().clone(), None);
        Ok(RemovalCost { weight: Weight::default(), index: None })
    }
}
