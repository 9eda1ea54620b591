//! The part of a large item's write that is made before the partition writer has its turn.
//!
//! Owns the text without system properties, the difference of index terms, the unique keys and the index costs, made
//! for one stored version of the item and one indexing policy; and using them in a transaction, if both are still the
//! same. Does not own when this happens: see `item/large`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model::{Etag, Json, TimestampSeconds, UniqueKey};
use storage::{StorageKey, StorageValue, Write, WriteSet};

use super::item_transaction::{ItemChange, ItemTransaction};
use super::written_item::{WrittenItem, changed_units, weight};
use crate::charge::{Weight, WriteCost};
use crate::error::{Error, ErrorKind, Result};
use crate::index::{
    CompiledPolicy, ItemTerms, terms_without_version, unique_keys_of, version_terms,
};
use crate::key_layout::{ItemKey, TERMS};
use crate::partition::Abort;
use crate::record::{ItemRecord, SYSTEM_PROPERTIES};

/// An indexing policy and its generation.
pub(crate) type FollowedPolicy = (u32, Arc<CompiledPolicy>);

/// What an item is prepared for.
#[derive(Debug)]
pub(crate) struct PreparationBasis {
    pub(crate) key: ItemKey,
    /// The ordinal of the stored item, or one that was reserved.
    pub(crate) ordinal: u64,
    /// The stored item.
    pub(crate) previous: Option<ItemRecord>,
    /// The policy that the terms of this key follow.
    pub(crate) policy: Option<FollowedPolicy>,
    pub(crate) unique_keys: Vec<UniqueKey>,
    /// Whether the new version is indexed.
    pub(crate) is_indexed: bool,
}

/// A large item, ready for the writer.
#[derive(Debug)]
pub(crate) struct PreparedItem {
    ordinal: u64,
    previous: Option<Etag>,
    policy: Option<FollowedPolicy>,
    is_indexed: bool,
    /// The JSON text without system properties and without its last brace.
    text: Vec<u8>,
    /// The difference of all terms but those of the etag and the timestamp.
    writes: Vec<Write>,
    old_unique_keys: Vec<StorageKey>,
    new_unique_keys: Vec<StorageKey>,
    old_units: u64,
    new_units: u64,
    changed_units: Option<u64>,
}

/// An item that is not in its transaction: it stays with the caller, and the transaction has what was prepared of it.
#[derive(Debug)]
pub(crate) struct DetachedItem {
    pub(crate) prepared: Option<Box<PreparedItem>>,
    /// Set when what was prepared does not fit any more. The transaction is lost with its failure, the flag is not.
    pub(crate) is_stale: Arc<AtomicBool>,
}

impl PreparedItem {
    /// Prepares an item. The item comes back as it was, without system properties of the caller.
    pub(crate) fn new(basis: PreparationBasis, mut item: Json) -> Result<(Json, Self)> {
        let PreparationBasis { key, ordinal, previous, policy, unique_keys, is_indexed } = basis;
        if let Json::Object(object) = &mut item {
            SYSTEM_PROPERTIES.iter().for_each(|name| drop(object.remove(name)));
        }
        let mut text = item.to_bytes();
        text.pop();
        // The paths of both are part of the shape, their values are known to the writer only.
        set_version(&mut item, true);
        let policy_of = |is_indexed: bool| policy.as_ref().filter(|_| is_indexed);
        let terms = |is_indexed: bool, item: &Json| match policy_of(is_indexed) {
            Some((_, policy)) => terms_without_version(policy, &key, ordinal, item),
            None => ItemTerms::default(),
        };
        let new = terms(is_indexed, &item);
        let new_unique_keys = unique_keys_of(&unique_keys, &key, &item);
        set_version(&mut item, false);
        let (mut old, mut old_unique_keys) = (ItemTerms::default(), Vec::new());
        if let Some(record) = &previous {
            let stored = record.parse()?;
            old = terms(record.header.indexed, &stored);
            old_unique_keys = unique_keys_of(&unique_keys, &key, &stored);
        }
        let (old_units, new_units) = (weight(None, &old), weight(None, &new));
        let prepared = Self {
            ordinal,
            previous: previous.map(|record| record.header.etag),
            is_indexed,
            text,
            changed_units: changed_units(&old, &new),
            old_units: old_units.index_units,
            new_units: new_units.index_units,
            writes: difference(old, new),
            old_unique_keys,
            new_unique_keys,
            policy,
        };
        Ok((item, prepared))
    }

    /// Whether the stored version is the one that this was prepared for.
    fn has_previous(&self, previous: Option<&ItemRecord>) -> bool {
        previous.map(|record| &record.header.etag) == self.previous.as_ref()
    }

    fn follows(&self, policy: Option<&Arc<CompiledPolicy>>, generation: u32) -> bool {
        match (&self.policy, policy) {
            (None, None) => true,
            (Some((followed, ours)), Some(current)) => {
                *followed == generation && Arc::ptr_eq(ours, current)
            }
            _ => false,
        }
    }
}

/// Adds the two system properties that are indexed, with values that are never used, or removes them.
fn set_version(item: &mut Json, is_present: bool) {
    let Json::Object(object) = item else { return };
    if is_present {
        object.insert("_etag", "");
        object.insert("_ts", 0);
    } else {
        object.remove("_etag");
        object.remove("_ts");
    }
}

/// The writes that turn the old terms into the new ones. Both are sorted.
fn difference(old: ItemTerms, new: ItemTerms) -> Vec<Write> {
    let mut set = WriteSet::new();
    let mut kept = new.entries.iter().map(|(key, _)| key).peekable();
    for (key, _) in &old.entries {
        while kept.next_if(|new| *new < key).is_some() {}
        if kept.peek() != Some(&key) {
            set.remove(TERMS, key.clone());
        }
    }
    let mut known = old.entries.iter().map(|(key, _)| key).peekable();
    for (key, value) in new.entries {
        while known.next_if(|old| **old < key).is_some() {}
        if known.peek() != Some(&&key) {
            set.put(TERMS, key, value);
        }
    }
    let old_shape = old.shape.map(|(key, _)| key);
    if let Some((key, paths)) = new.shape
        && old_shape.as_ref() != Some(&key)
    {
        set.put(TERMS, key, paths);
    }
    set.writes
}

impl ItemTransaction<'_> {
    /// Writes an item that was prepared; fails without an effect if it was prepared for something else.
    pub(super) async fn put_prepared(
        &mut self,
        key: &ItemKey,
        previous: Option<&ItemRecord>,
        change: ItemChange<'_>,
        detached: &mut DetachedItem,
    ) -> std::result::Result<WrittenItem, Abort> {
        let generation = self.state.generation_at(key.as_bytes());
        let fits = |prepared: &&mut Box<PreparedItem>| {
            prepared.has_previous(previous)
                && prepared.is_indexed == change.indexed
                && prepared.follows(self.context.compiled.policy(generation), generation)
        };
        let Some(prepared) = detached.prepared.as_mut().filter(fits) else {
            detached.is_stale.store(true, Ordering::Relaxed);
            return Err(Abort::Failed(stale()));
        };
        let (old_keys, new_keys) =
            (prepared.old_unique_keys.clone(), prepared.new_unique_keys.clone());
        // May defer; then the same preparation is used by the next run.
        self.write_unique_key_difference(key, old_keys, new_keys).await?;
        // Taken and not cloned: a run after a failed commit finds nothing, and the caller prepares again.
        let Some(prepared) = detached.prepared.take() else { return Err(Abort::Failed(stale())) };
        let header = self.header_for(previous, &change, Some(prepared.ordinal));
        let rid = self.context.container.item_rid(header.position.ordinal);
        let self_link = self.context.container.self_link(&rid);
        let record = ItemRecord::with_text(header, &prepared.text, &self_link, &rid);
        let cost = WriteCost {
            created: previous.is_none(),
            old: weight_of(previous, prepared.old_units),
            new: weight_of(Some(&record), prepared.new_units),
            changed_units: prepared.changed_units,
            versions: None,
        };
        let few = std::mem::replace(&mut self.set.writes, prepared.writes);
        // In front of what was there: only writes of this very item could have the same keys, and then the stored
        // version would be another.
        self.set.writes.extend(few);
        if let Some((_, policy)) = &prepared.policy {
            let of = |record: &ItemRecord| version_entries(policy, key, record);
            for (term, _) in previous.filter(|old| old.header.indexed).map(of).unwrap_or_default() {
                self.set.remove(TERMS, term);
            }
            // After the removals: within one second the term of the timestamp stays the same.
            for (term, value) in
                Some(&record).filter(|new| new.header.indexed).map(of).unwrap_or_default()
            {
                self.set.put(TERMS, term, value);
            }
        }
        let written = WrittenItem { record: record.clone(), cost };
        self.finish_put(key, key, previous, record);
        Ok(written)
    }
}

fn version_entries(
    policy: &CompiledPolicy,
    key: &ItemKey,
    record: &ItemRecord,
) -> Vec<(StorageKey, StorageValue)> {
    let header = &record.header;
    let TimestampSeconds(seconds) = header.timestamp;
    version_terms(policy, key, header.position.ordinal, &header.etag.to_string(), seconds)
}

fn weight_of(record: Option<&ItemRecord>, index_units: u64) -> Weight {
    Weight { index_units, ..weight(record, &ItemTerms::default()) }
}

fn stale() -> Error {
    Error::new(
        ErrorKind::Unavailable,
        "The item or its indexing policy was changed while the write was prepared. Retry.",
    )
}
