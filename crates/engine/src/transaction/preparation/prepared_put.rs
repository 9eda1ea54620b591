//! A put that was prepared: everything of an item write that visits the whole item.
//!
//! Owns making it, and writing it in a transaction. Does not own finding it there: see `preparations`.

use model::charge::index_costs;
use model::{ItemTimeToLive, Json, Object, UniqueKey};
use storage::{StorageKey, Write, WriteSet};

use super::base_version::{BaseVersion, KnownVersion, PolicyOfKey};
use crate::charge::{IndexedVersions, Weight, WriteCost};
use crate::index::{ItemTerms, properties_beside_version, unique_keys_of};
use crate::key_layout::{ItemKey, TERMS};
use crate::partition::Abort;
use crate::record::{ItemRecord, VersionedText};
use crate::transaction::item_transaction::ItemTransaction;
use crate::transaction::written_item::{WrittenItem, changed_units, weight};

/// What a put is prepared for.
pub(crate) struct PutBasis<'basis> {
    /// The key of the version before; another one if the item is renamed.
    pub(crate) old_key: &'basis ItemKey,
    pub(crate) key: &'basis ItemKey,
    pub(crate) old: Option<&'basis KnownVersion>,
    pub(crate) old_policy: PolicyOfKey,
    pub(crate) policy: PolicyOfKey,
    pub(crate) unique_keys: &'basis [UniqueKey],
    pub(crate) time_to_live: Option<ItemTimeToLive>,
    pub(crate) explain: bool,
}

/// A put, ready for the writer.
#[derive(Debug)]
pub(crate) struct PreparedPut {
    base: BaseVersion,
    old_policy: PolicyOfKey,
    policy: PolicyOfKey,
    pub(crate) ordinal: u64,
    pub(crate) indexed: bool,
    time_to_live: Option<ItemTimeToLive>,
    pub(crate) text: VersionedText,
    /// The difference of all terms but those that contain the etag or the timestamp.
    writes: Vec<Write>,
    old_beside_version: Object,
    beside_version: Object,
    old_unique_keys: Vec<StorageKey>,
    new_unique_keys: Vec<StorageKey>,
    old_units: u64,
    new_units: u64,
    changed_units: Option<u64>,
    explained: Option<Box<IndexedVersions>>,
}

impl PreparedPut {
    /// Prepares a put. The new version has its system properties; those of etag and timestamp are never stored.
    pub(crate) fn new(basis: PutBasis<'_>, new: &KnownVersion) -> Self {
        let PutBasis { old_key, key, old, old_policy, policy, unique_keys, .. } = basis;
        let old_terms = old.map_or_else(ItemTerms::default, |old| old_policy.terms(old_key, old));
        let new_terms = policy.terms(key, new);
        let unique = |version: &KnownVersion| unique_keys_of(unique_keys, key, &version.item);
        let beside = |policy: &PolicyOfKey, version: &KnownVersion| {
            policy
                .policy(version.indexed)
                .map_or_else(Object::new, |policy| properties_beside_version(policy, &version.item))
        };
        let costs = |policy: &PolicyOfKey, version: &KnownVersion| {
            policy
                .policy(version.indexed)
                .map_or_else(Vec::new, |policy| index_costs(&policy.policy, &version.item))
        };
        let explained = basis.explain.then(|| {
            let old = old.map_or_else(Vec::new, |old| costs(&old_policy, old));
            Box::new(IndexedVersions { old, new: costs(&policy, new) })
        });
        let no_properties = Object::new();
        let object = if let Json::Object(object) = &new.item { object } else { &no_properties };
        let units = |terms: &ItemTerms| weight(None, terms).index_units;
        Self {
            base: old.map_or(BaseVersion::Absent, |old| old.base),
            ordinal: new.ordinal,
            indexed: new.indexed,
            time_to_live: basis.time_to_live,
            text: VersionedText::new(object, new.bytes),
            old_beside_version: old.map_or_else(Object::new, |old| beside(&old_policy, old)),
            beside_version: beside(&policy, new),
            old_unique_keys: old.map_or_else(Vec::new, unique),
            new_unique_keys: unique(new),
            old_units: units(&old_terms),
            new_units: units(&new_terms),
            changed_units: changed_units(&old_terms, &new_terms),
            explained,
            writes: if old_key == key {
                difference(&old_terms, new_terms)
            } else {
                // The value of a term names the item, so that terms that stay the same are written again.
                let mut writes = difference(&old_terms, ItemTerms::default());
                writes.append(&mut difference(&ItemTerms::default(), new_terms));
                writes
            },
            old_policy,
            policy,
        }
    }
}

/// The writes that turn the old terms into the new ones. Both are sorted.
pub(super) fn difference(old: &ItemTerms, new: ItemTerms) -> Vec<Write> {
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
    let old_shape = old.shape.as_ref().map(|(key, _)| key);
    if let Some((key, paths)) = new.shape
        && old_shape != Some(&key)
    {
        set.put(TERMS, key, paths);
    }
    set.writes
}

impl ItemTransaction<'_> {
    /// Whether a prepared put is for the version and the policies that the transaction finds.
    pub(super) fn fits(
        &self,
        prepared: &PreparedPut,
        (old_key, key): (&ItemKey, &ItemKey),
        previous: Option<&ItemRecord>,
    ) -> bool {
        let (state, compiled) = (&self.state, self.context.compiled);
        prepared.base == BaseVersion::of(previous)
            && prepared.policy.is_current(state, compiled, key)
            && prepared.old_policy.is_current(state, compiled, old_key)
    }

    /// Writes the unique keys of a prepared put. May defer; then the same preparation is used by the next run.
    pub(super) async fn put_unique_keys(
        &mut self,
        key: &ItemKey,
        prepared: &PreparedPut,
    ) -> Result<(), Abort> {
        let (old, new) = (prepared.old_unique_keys.clone(), prepared.new_unique_keys.clone());
        self.write_unique_key_difference(key, old, new).await
    }

    /// Writes a prepared put whose unique keys are written.
    pub(super) fn finish_prepared_put(
        &mut self,
        (old_key, key): (&ItemKey, &ItemKey),
        previous: Option<&ItemRecord>,
        prepared: PreparedPut,
    ) -> WrittenItem {
        let PreparedPut { time_to_live, indexed, ordinal, .. } = prepared;
        let header = self.header_for(previous, (time_to_live, indexed), Some(ordinal));
        let record = ItemRecord::with_text(header, &prepared.text);
        let cost = WriteCost {
            created: previous.is_none(),
            old: weight_of(previous, prepared.old_units),
            new: weight_of(Some(&record), prepared.new_units),
            changed_units: prepared.changed_units,
            versions: prepared.explained,
        };
        self.add_writes(prepared.writes);
        if let Some(old) = previous {
            let beside = &prepared.old_beside_version;
            for (term, _) in prepared.old_policy.version_entries(old_key, old, beside) {
                self.set.remove(TERMS, term);
            }
        }
        // After the removals: within one second the term of the timestamp stays the same.
        let beside = &prepared.beside_version;
        for (term, value) in prepared.policy.version_entries(key, &record, beside) {
            self.set.put(TERMS, term, value);
        }
        let written = WrittenItem { record: record.clone(), cost };
        self.finish_put(old_key, key, previous, record);
        written
    }
}

pub(super) fn weight_of(record: Option<&ItemRecord>, index_units: u64) -> Weight {
    Weight { index_units, ..weight(record, &ItemTerms::default()) }
}
