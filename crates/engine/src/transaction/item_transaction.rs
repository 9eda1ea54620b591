//! One transaction under construction: everything that item writes touch, collected in one write set.
//!
//! A put or a removal of one item changes up to seven spaces; this file keeps them consistent:
//!
//! ```text
//! items        the record              expiry      if the item has a time to live of its own
//! terms        added and removed,      change_log  the newest version moves to the end of the log
//!              and listed by creation
//! unique_keys  moved or released       versions    the version before, or the deletion
//! state        counters, ordinals, last timestamp (committed once per group by the writer)
//! ```
//!
//! The lsn is not known here. The store stamps it into keys and values at commit; see the `LSN_AT` offsets.

use std::collections::{BTreeMap, HashMap};

use model::{ItemTimeToLive, Json};
use storage::{StorageKey, StorageValue, WriteSet};

use super::header::ReservedVersion;
use super::preparation::Preparations;
use super::written_item::{RemovalCost, WrittenItem, changed_units, own_expiry, weight};
use crate::charge::{IndexedVersions, WriteCost};
use crate::index::{ItemTerms, terms_of, terms_of_only, unique_keys_of};
use crate::key_layout::{CHANGE_LOG, ChangePosition, EXPIRY, ITEMS, ItemKey, TERMS, UNIQUE_KEYS};
use crate::partition::{Abort, PartitionState, PreparedTransaction, TransactionContext};
use crate::record::{
    ItemRecord, LogEntry, Placement, Removal, SYSTEM_BYTES, set_system_properties,
};

/// Writes of an item besides its terms: the record, the log entry, the expiry entry, two of the order of creation, the
/// state.
const OTHER_WRITES: usize = 6;

/// One transaction under construction.
pub(crate) struct ItemTransaction<'run> {
    pub(crate) context: TransactionContext<'run>,
    pub(crate) state: PartitionState,
    pub(super) set: WriteSet,
    /// What was prepared outside of the writer.
    pub(super) prepared: Option<&'run mut Preparations>,
    /// The index of the operation that is being done, in a batch.
    pub(super) operation: usize,
    /// Bytes of items that may still be parsed or indexed here.
    pub(super) item_bytes_left: usize,
    /// Items this transaction has written (or removed: none). It must see its own writes, which the store does not
    /// have.
    pub(super) items: HashMap<StorageKey, Option<ItemRecord>>,
    /// The same for unique keys; the value is the id of the holder.
    pub(super) unique_keys: HashMap<StorageKey, Option<StorageValue>>,
    /// Log entries of this transaction. They become writes only at the end: the log keeps the newest version of an
    /// item, and a later write of the same transaction may still supersede an entry.
    pub(super) log: BTreeMap<ChangePosition, (ItemKey, ItemRecord)>,
    /// Numbers the changes of this transaction, which share one lsn.
    pub(super) sequence: u16,
    /// The reserved numbers of the version that is written next.
    pub(crate) version: Option<ReservedVersion>,
    pub(super) is_rehearsal: bool,
    pub(super) forces_commit: bool,
    pub(super) loses_versions: bool,
}

/// A new state of an item.
pub(crate) struct ItemChange<'item> {
    /// The item. System properties are set in place, so that nothing is cloned; a second run sets them again.
    pub(crate) item: &'item mut Json,
    /// Bytes of its text without system properties.
    pub(crate) bytes: usize,
    pub(crate) placement: Placement,
    pub(crate) time_to_live: Option<ItemTimeToLive>,
    pub(crate) indexed: bool,
    pub(crate) explain: bool,
}

impl<'run> ItemTransaction<'run> {
    pub(crate) fn new(mut context: TransactionContext<'run>) -> Self {
        Self {
            // Moved, not shared: a transaction that fails drops its state, and the counters of the writer stay as they
            // were.
            state: std::mem::take(&mut context.state),
            item_bytes_left: context.item_bytes_max,
            context,
            set: WriteSet::new(),
            prepared: None,
            operation: 0,
            items: HashMap::new(),
            unique_keys: HashMap::new(),
            log: BTreeMap::new(),
            sequence: 0,
            version: None,
            is_rehearsal: false,
            forces_commit: false,
            loses_versions: false,
        }
    }

    /// The item as this transaction sees it. An expired item is removed here and counts as absent: a create must not
    /// conflict with it, and its unique keys and terms must go before new ones are written.
    pub(crate) async fn current(&mut self, key: &ItemKey) -> Result<Option<ItemRecord>, Abort> {
        let Some(record) = self.read(key).await? else { return Ok(None) };
        if self.context.compiled.is_expired(&record.header, self.context.now) {
            // The removal is part of this transaction: if the write that follows fails, the item stays and remains
            // invisible.
            self.remove(key, &record, Removal::Expired, false)?;
            return Ok(None);
        }
        Ok(Some(record))
    }

    /// The item as stored, expired or not.
    pub(crate) async fn read(&self, key: &ItemKey) -> Result<Option<ItemRecord>, Abort> {
        // Own writes first: the pending keys are those of others, and the store has neither.
        if let Some(record) = self.items.get(key.as_bytes()) {
            return Ok(record.clone());
        }
        if self.context.pending.contains(key.as_bytes()) {
            return Err(Abort::Deferred);
        }
        let shard = self.context.partition.shard;
        let stored = self.context.store.get(shard, ITEMS, key.as_bytes()).await?;
        Ok(stored.map(ItemRecord::decode).transpose()?)
    }

    /// Writes an item with all its entries. `old_key` is the key of the previous version; it differs from `key` only
    /// in a rename, which keeps the resource id and therefore the history of the item.
    pub(crate) async fn put(
        &mut self,
        old_key: &ItemKey,
        key: &ItemKey,
        previous: Option<&ItemRecord>,
        change: ItemChange<'_>,
    ) -> Result<WrittenItem, Abort> {
        if self.is_rehearsal {
            return self.rehearse_put(old_key, key, previous, change).await;
        }
        if self.is_prepared() {
            return self.put_prepared(old_key, key, previous).await;
        }
        self.spend(key, change.bytes + previous.map_or(0, ItemRecord::body_len))?;
        // The header is made first: etag, timestamp and rid are part of the text.
        let header = self.header_for(previous, (change.time_to_live, change.indexed), None);
        let rid = self.context.container.item_rid(header.position.ordinal);
        if let Json::Object(object) = &mut *change.item {
            let self_link = self.context.container.self_link(&rid);
            set_system_properties(object, change.placement, &self_link, &rid, &header);
        }
        let item: &Json = change.item;
        let record = ItemRecord::new(header, item, change.bytes + SYSTEM_BYTES);

        let old_item = previous.map(ItemRecord::parse).transpose()?;
        // May fail or defer. Everything before it has touched only this transaction, which is then dropped as a whole.
        self.write_unique_keys(key, old_item.as_ref(), item).await?;
        let is_compared = previous.is_some() && old_key == key;
        let old = self.terms(old_key, previous, old_item.as_ref(), is_compared);
        let new = self.terms(key, Some(&record), Some(item), is_compared);
        // Only computed if the caller asks for an explanation: it walks both versions once more.
        let versions = || IndexedVersions {
            old: self.index_costs(old_key, previous, old_item.as_ref()),
            new: self.index_costs(key, Some(&record), Some(item)),
        };
        let cost = WriteCost {
            created: previous.is_none(),
            old: weight(previous, &old),
            new: weight(Some(&record), &new),
            changed_units: changed_units(&old, &new),
            versions: change.explain.then(|| Box::new(versions())),
        };
        let written = WrittenItem { record: record.clone(), cost };
        if old_key == key {
            self.write_terms(&old, new);
        } else {
            // The value of a term names the item, so that terms that stay the same are written again in a rename.
            self.write_terms(&old, ItemTerms::default());
            self.write_terms(&ItemTerms::default(), new);
        }
        self.finish_put(old_key, key, previous, record);
        Ok(written)
    }

    /// Writes what is left of a put when terms and unique keys are written.
    pub(super) fn finish_put(
        &mut self,
        old_key: &ItemKey,
        key: &ItemKey,
        previous: Option<&ItemRecord>,
        record: ItemRecord,
    ) {
        self.write_expiry(key, previous, Some(&record));
        self.write_listing(old_key, key, previous, &record);
        // Before the new log entry is inserted: `supersede` looks for the old one in `log`.
        self.supersede(old_key, previous, record.header.timestamp);
        self.log.insert(record.header.position, (key.clone(), record.clone()));
        self.count(previous, Some(&record));
        if old_key != key {
            self.set.remove(ITEMS, old_key.as_bytes().clone());
            self.items.insert(old_key.as_bytes().clone(), None);
        }
        self.set.put_stamped(
            ITEMS,
            key.as_bytes().clone(),
            record.as_bytes().clone(),
            None,
            Some(ItemRecord::LSN_AT),
        );
        self.items.insert(key.as_bytes().clone(), Some(record));
    }

    /// Removes an item with all its entries. Has no effect if it fails.
    pub(crate) fn remove(
        &mut self,
        key: &ItemKey,
        record: &ItemRecord,
        removal: Removal,
        explain: bool,
    ) -> Result<RemovalCost, Abort> {
        if self.is_rehearsal {
            return self.rehearse_removal(key, record);
        }
        let removed = match self.remove_prepared(key, record) {
            Some(removed) => removed,
            None => self.remove_terms(key, record, explain)?,
        };
        self.write_expiry(key, Some(record), None);
        self.unlist(key, record);
        let timestamp = self.timestamp();
        self.supersede(key, Some(record), timestamp);
        self.log_removal(key, record, removal, timestamp);
        self.count(Some(record), None);
        self.set.remove(ITEMS, key.as_bytes().clone());
        self.items.insert(key.as_bytes().clone(), None);
        Ok(removed)
    }

    /// Removes the terms and unique keys of an item.
    fn remove_terms(
        &mut self,
        key: &ItemKey,
        record: &ItemRecord,
        explain: bool,
    ) -> Result<RemovalCost, Abort> {
        self.spend(key, record.body_len())?;
        let item = record.parse()?;
        let unique_keys = unique_keys_of(&self.context.compiled.properties.unique_keys, key, &item);
        self.release_unique_keys(unique_keys);
        let terms = self.terms(key, Some(record), Some(&item), false);
        self.write_terms(&terms, ItemTerms::default());
        let index = explain.then(|| self.index_costs(key, Some(record), Some(&item)));
        Ok(RemovalCost { weight: weight(Some(record), &terms), index })
    }

    pub(super) fn release_unique_keys(&mut self, unique_keys: Vec<StorageKey>) {
        for unique in unique_keys {
            self.set.remove(UNIQUE_KEYS, unique.clone());
            self.unique_keys.insert(unique, None);
        }
    }

    /// Replaces the terms of one item that follow another generation of the indexing policy.
    pub(crate) fn reindex(&mut self, old: &ItemTerms, new: ItemTerms) {
        self.write_terms(old, new);
    }

    /// Ends the transaction.
    pub(crate) fn finish(mut self) -> PreparedTransaction {
        // Each entry has two stamps: one in its key, one in the record inside its value.
        for (position, (key, record)) in std::mem::take(&mut self.log) {
            self.set.put_stamped(
                CHANGE_LOG,
                position.key(),
                LogEntry::encode(&key, &record),
                Some(ChangePosition::LSN_AT),
                Some(LogEntry::lsn_at(&key)),
            );
        }
        PreparedTransaction {
            needs_commit: self.forces_commit || !self.set.writes.is_empty(),
            loses_versions: self.loses_versions,
            set: self.set,
            state: self.state,
            touched_items: self.items.into_keys().collect(),
            touched_unique_keys: self.unique_keys.into_keys().collect(),
        }
    }

    /// Defers a transaction that scans the store while earlier writes are pending: a scan would miss them, and unlike a
    /// get it cannot tell by a key which ones.
    pub(crate) fn require_no_pending(&self) -> Result<(), Abort> {
        if self.context.pending.is_empty() { Ok(()) } else { Err(Abort::Deferred) }
    }

    /// Commits the state even if there is no other write.
    pub(crate) fn force_commit(&mut self) {
        self.forces_commit = true;
    }

    /// The terms of a version; in key order only if they are compared with those of another one.
    fn terms(
        &self,
        key: &ItemKey,
        record: Option<&ItemRecord>,
        item: Option<&Json>,
        is_compared: bool,
    ) -> ItemTerms {
        let (Some(record), Some(item)) = (record, item) else { return ItemTerms::default() };
        // Decided by the record, not by the request: the terms of an old version must be those it was written with.
        if !record.header.indexed {
            return ItemTerms::default();
        }
        let generation = self.state.generation_at(key.as_bytes());
        // Old and new terms follow the same generation, so that their difference is exact even in the middle of a
        // rebuild.
        self.context.compiled.policy(generation).map_or_else(ItemTerms::default, |policy| {
            let derive = if is_compared { terms_of } else { terms_of_only };
            derive(policy, key, record.header.position.ordinal, item)
        })
    }

    /// Writes the difference of two sets of terms. The paths of a shape are never removed: other items may have that
    /// shape, and nobody counts them.
    fn write_terms(&mut self, old: &ItemTerms, new: ItemTerms) {
        // Only the difference is written: a patch of one property of a wide item touches two keys instead of hundreds.
        for (key, _) in old.entries.iter().filter(|(key, _)| !new.contains(key)) {
            self.set.remove(TERMS, key.clone());
        }
        self.set.writes.reserve(new.entries.len() + OTHER_WRITES);
        for (key, value) in new.entries {
            if !old.contains(&key) {
                self.set.put(TERMS, key, value);
            }
        }
        let old_shape = old.shape.as_ref().map(|(key, _)| key);
        if let Some((key, paths)) = new.shape
            && old_shape != Some(&key)
        {
            self.set.put(TERMS, key, paths);
        }
    }

    fn write_expiry(&mut self, key: &ItemKey, old: Option<&ItemRecord>, new: Option<&ItemRecord>) {
        if let Some(expiry) = old.and_then(own_expiry) {
            self.set.remove(EXPIRY, expiry);
        }
        if let Some(expiry) = new.and_then(own_expiry) {
            self.set.put(EXPIRY, expiry, key.as_bytes().clone());
        }
    }

    fn count(&mut self, old: Option<&ItemRecord>, new: Option<&ItemRecord>) {
        let bytes =
            |record: Option<&ItemRecord>| record.map_or(0, |record| record.body_len() as u64);
        // Added before subtracted: the counters are unsigned, and `old` was counted when it was written.
        self.state.item_bytes = self.state.item_bytes + bytes(new) - bytes(old);
        self.state.items = self.state.items + u64::from(new.is_some()) - u64::from(old.is_some());
    }
}
