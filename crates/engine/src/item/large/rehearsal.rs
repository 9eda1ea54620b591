//! Item writes, rehearsed on a thread: what each of them will write if its item is still the same.
//!
//! Owns the order of the operations of a batch, where each sees what those before it have left. Does not own what a put
//! or a removal consists of: see `transaction`.

use std::collections::HashMap;

use ::query::EvaluationContext;
use model::{Etag, Json, Lsn};
use storage::StorageKey;

use super::look::{PreparationBasis, SeenItem};
use super::prepare::{PreparableTransaction, PreparationTurns};
use crate::error::{Error, Result};
use crate::item::patch::{PatchedItem, apply, is_indexed};
use crate::item::write::{BatchWrite, ItemWrite, SingleWrite};
use crate::key_layout::{ChangePosition, ItemKey};
use crate::query::to_query_time;
use crate::record::{ItemHeader, Placement, SYSTEM_BYTES, set_system_properties};
use crate::transaction::{
    BaseVersion, KnownVersion, PolicyOfKey, Preparations, PreparedOperation, PreparedPut,
    PreparedRemoval, PutBasis,
};

impl PreparableTransaction for SingleWrite {
    fn keys(&self) -> Vec<ItemKey> {
        self.write.keys().into_iter().flatten().cloned().collect()
    }

    fn new_items(&self) -> usize {
        usize::from(self.write.may_create())
    }

    fn bytes(&self) -> usize {
        self.write.bytes()
    }

    fn prepare(&mut self, basis: &PreparationBasis, turns: &PreparationTurns) -> Result<()> {
        let prepared = rehearse(basis, turns, std::slice::from_mut(&mut self.write))?;
        self.prepared = Some(Box::new(prepared));
        Ok(())
    }
}

impl PreparableTransaction for BatchWrite {
    fn keys(&self) -> Vec<ItemKey> {
        self.writes.iter().flat_map(ItemWrite::keys).flatten().cloned().collect()
    }

    fn new_items(&self) -> usize {
        self.writes.iter().filter(|write| write.may_create()).count()
    }

    fn bytes(&self) -> usize {
        self.writes.iter().map(ItemWrite::bytes).sum()
    }

    fn prepare(&mut self, basis: &PreparationBasis, turns: &PreparationTurns) -> Result<()> {
        self.prepared = Some(Box::new(rehearse(basis, turns, &mut self.writes)?));
        Ok(())
    }
}

/// Prepares writes in their order.
pub(crate) fn rehearse(
    basis: &PreparationBasis,
    turns: &PreparationTurns,
    writes: &mut [ItemWrite],
) -> Result<Preparations> {
    let prepared = Preparations::default();
    let mut rehearsal =
        Rehearsal { basis, turns, prepared, latest: HashMap::new(), ordinals: 0, operation: 0 };
    rehearsal.remove_expired()?;
    for (operation, write) in writes.iter_mut().enumerate() {
        turns.next()?;
        rehearsal.operation = operation;
        // After an operation that will fail, nothing else is done: the writer finds out by itself.
        if !rehearsal.write(write)? {
            break;
        }
    }
    Ok(rehearsal.prepared)
}

/// The state of one rehearsal.
struct Rehearsal<'basis> {
    basis: &'basis PreparationBasis,
    turns: &'basis PreparationTurns,
    prepared: Preparations,
    /// Items that operations before have written (by the index of the operation) or removed.
    // Not the items themselves: parsed, a hundred of them could fill the memory. The text is kept anyway.
    latest: HashMap<StorageKey, Option<usize>>,
    /// How many of the reserved ordinals are used.
    ordinals: usize,
    operation: usize,
}

/// A put that is rehearsed.
struct RehearsedPut<'write> {
    old_key: &'write ItemKey,
    key: &'write ItemKey,
    old: Option<KnownVersion>,
    placement: Placement,
    time_to_live: Option<model::ItemTimeToLive>,
    indexed: bool,
    explain: bool,
    bytes: usize,
}

impl Rehearsal<'_> {
    /// Prepares one write; returns whether it can succeed.
    fn write(&mut self, write: &mut ItemWrite) -> Result<bool> {
        match write {
            ItemWrite::Create { new, indexed, explain }
            | ItemWrite::Upsert { new, indexed, explain, .. } => {
                let old = self.version(&new.key)?;
                let put = RehearsedPut {
                    old_key: &new.key,
                    key: &new.key,
                    old,
                    placement: Placement::AtEnd,
                    time_to_live: new.time_to_live,
                    indexed: *indexed,
                    explain: *explain,
                    bytes: new.bytes,
                };
                self.put(put, &mut new.item)
            }
            ItemWrite::Replace { new, renamed_from, indexed, explain, .. } => {
                let old_key = renamed_from.as_ref().unwrap_or(&new.key);
                let Some(old) = self.version(old_key)? else { return Ok(false) };
                let put = RehearsedPut {
                    old_key,
                    key: &new.key,
                    old: Some(old),
                    placement: Placement::AtEnd,
                    time_to_live: new.time_to_live,
                    indexed: *indexed,
                    explain: *explain,
                    bytes: new.bytes,
                };
                self.put(put, &mut new.item)
            }
            ItemWrite::Patch { .. } => self.patch(write),
            ItemWrite::Delete { key, explain, .. } => {
                let Some(old) = self.version(key)? else { return Ok(false) };
                let policy = self.policy(key)?;
                let unique_keys = &self.basis.seen.unique_keys;
                let removal = PreparedRemoval::new(key, &old, policy, unique_keys, *explain);
                let removal = PreparedOperation::Removal(Box::new(removal));
                self.prepared.insert(self.operation, removal);
                self.latest.insert(key.as_bytes().clone(), None);
                Ok(true)
            }
            ItemWrite::Read { .. } => Ok(true),
        }
    }

    fn patch(&mut self, write: &ItemWrite) -> Result<bool> {
        let ItemWrite::Patch { key, patch, condition, options, .. } = write else {
            return Ok(false);
        };
        let Some(mut old) = self.version(key)? else { return Ok(false) };
        let context = EvaluationContext {
            governor: self.turns.governor(),
            ..EvaluationContext::starting_at(to_query_time(self.basis.seen.now))
        };
        let held = condition.as_ref().map(|condition| condition.check_outside(&old.item, &context));
        let was_indexed = old.indexed;
        let mut item = old.item.clone();
        let paths = self.basis.container.identity.definition.paths();
        let patched = held.transpose().and_then(|_| apply(patch, &mut item, paths));
        let PatchedItem { bytes, time_to_live } = match patched {
            Ok(patched) => patched,
            Err(error) => {
                let refused = PreparedOperation::Refused(old.base, error);
                self.prepared.insert(self.operation, refused);
                return Ok(false);
            }
        };
        old.bytes = bytes;
        let put = RehearsedPut {
            old_key: key,
            key,
            old: Some(old),
            placement: Placement::InPlace,
            time_to_live,
            indexed: is_indexed(&self.basis.container.compiled(), options, was_indexed),
            explain: options.explain_charge,
            bytes,
        };
        self.put(put, &mut item)
    }

    fn put(&mut self, put: RehearsedPut<'_>, item: &mut Json) -> Result<bool> {
        let RehearsedPut { old_key, key, old, .. } = put;
        let ordinal = match &old {
            Some(old) => old.ordinal,
            None => self.next_ordinal()?,
        };
        let container = &self.basis.container.identity;
        let rid = container.item_rid(ordinal);
        if let Json::Object(object) = &mut *item {
            let (link, header) = (container.self_link(&rid), self.placeholder(ordinal));
            set_system_properties(object, put.placement, &link, &rid, &header);
        }
        let new = KnownVersion {
            item: std::mem::replace(item, Json::Null),
            base: BaseVersion::Own,
            ordinal,
            indexed: put.indexed,
            bytes: put.bytes + SYSTEM_BYTES,
        };
        let basis = PutBasis {
            old_key,
            key,
            old: old.as_ref(),
            old_policy: self.policy(old_key)?,
            policy: self.policy(key)?,
            unique_keys: &self.basis.seen.unique_keys,
            time_to_live: put.time_to_live,
            explain: put.explain,
        };
        let prepared = PreparedPut::new(basis, &new);
        *item = new.item;
        self.prepared.insert(self.operation, PreparedOperation::Put(Box::new(prepared)));
        if old_key != key {
            self.latest.insert(old_key.as_bytes().clone(), None);
        }
        self.latest.insert(key.as_bytes().clone(), Some(self.operation));
        Ok(true)
    }

    /// The item as the operations before have left it.
    fn version(&self, key: &ItemKey) -> Result<Option<KnownVersion>> {
        match self.latest.get(key.as_bytes()) {
            Some(None) => Ok(None),
            Some(Some(operation)) => {
                let Some(written) = self.prepared.put(*operation) else { return Ok(None) };
                Ok(Some(KnownVersion {
                    item: written.text.parse()?,
                    base: BaseVersion::Own,
                    ordinal: written.ordinal,
                    indexed: written.indexed,
                    bytes: written.text.len(),
                }))
            }
            None => self.seen(key)?.stored(),
        }
    }

    /// Prepares the removal of every item that has expired: each operation that meets one removes it first.
    fn remove_expired(&mut self) -> Result<()> {
        let seen = &self.basis.seen;
        for (key, item) in seen.items.iter().filter(|(_, item)| item.is_expired) {
            self.turns.next()?;
            let levels = self.basis.container.identity.levels();
            let key = ItemKey::decode(key.clone(), levels)
                .ok_or_else(|| Error::corrupt("a stored item key is damaged"))?;
            let removal = item.removal(&key, seen)?;
            removal.into_iter().for_each(|removal| self.prepared.insert_removal(&key, removal));
            self.latest.insert(key.as_bytes().clone(), None);
        }
        Ok(())
    }

    fn seen(&self, key: &ItemKey) -> Result<&SeenItem> {
        self.basis.seen.item(key).ok_or_else(|| Error::corrupt("an item was not looked at"))
    }

    fn policy(&self, key: &ItemKey) -> Result<PolicyOfKey> {
        Ok(self.seen(key)?.policy.clone())
    }

    fn next_ordinal(&mut self) -> Result<u64> {
        let reserved = self.basis.seen.reserved.get(self.ordinals).copied();
        self.ordinals += 1;
        reserved.ok_or_else(|| Error::corrupt("an ordinal was not reserved"))
    }

    /// A header whose etag and timestamp are never stored. The etag differs between operations, as real ones do.
    fn placeholder(&self, ordinal: u64) -> ItemHeader {
        let timestamp = self.basis.seen.now.seconds();
        let position = ChangePosition { lsn: Lsn::ZERO, sequence: 0, ordinal };
        ItemHeader {
            position,
            previous: position,
            timestamp,
            time_to_live: None,
            indexed: false,
            etag: Etag::new(self.operation as u64, u32::MAX, timestamp),
        }
    }
}

impl SeenItem {
    /// The stored version, parsed.
    pub(super) fn stored(&self) -> Result<Option<KnownVersion>> {
        let Some(record) = &self.record else { return Ok(None) };
        Ok(Some(KnownVersion {
            item: record.parse()?,
            base: BaseVersion::of(Some(record)),
            ordinal: record.header.position.ordinal,
            indexed: record.header.indexed,
            bytes: record.body_len(),
        }))
    }

    /// The removal of the stored version.
    pub(super) fn removal(
        &self,
        key: &ItemKey,
        seen: &super::look::SeenState,
    ) -> Result<Option<PreparedRemoval>> {
        let stored = self.stored()?;
        let policy = || self.policy.clone();
        Ok(stored.map(|old| PreparedRemoval::new(key, &old, policy(), &seen.unique_keys, false)))
    }
}

impl ItemWrite {
    /// The key that is written, and the one that a rename frees.
    pub(crate) fn keys(&self) -> [Option<&ItemKey>; 2] {
        match self {
            Self::Create { new, .. } | Self::Upsert { new, .. } => [Some(&new.key), None],
            Self::Replace { new, renamed_from, .. } => [Some(&new.key), renamed_from.as_ref()],
            Self::Patch { key, .. } | Self::Delete { key, .. } | Self::Read { key, .. } => {
                [Some(key), None]
            }
        }
    }

    pub(crate) fn may_create(&self) -> bool {
        matches!(self, Self::Create { .. } | Self::Upsert { .. })
    }

    /// Bytes of the item or the values that the write holds.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Create { new, .. } | Self::Upsert { new, .. } | Self::Replace { new, .. } => {
                new.bytes
            }
            Self::Patch { bytes, .. } => *bytes,
            Self::Delete { .. } | Self::Read { .. } => 0,
        }
    }
}
