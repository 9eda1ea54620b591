//! A removal that was prepared: the terms and unique keys that go with an item.
//!
//! Owns making it, and writing it in a transaction. Does not own finding it there: see `preparations`.

use model::charge::{IndexCost, index_costs};
use model::{Object, UniqueKey};
use storage::{StorageKey, Write};

use super::base_version::{BaseVersion, KnownVersion, PolicyOfKey};
use super::prepared_put::{difference, weight_of};
use crate::index::{ItemTerms, properties_beside_version, unique_keys_of};
use crate::key_layout::{ItemKey, TERMS};
use crate::record::ItemRecord;
use crate::transaction::item_transaction::ItemTransaction;
use crate::transaction::written_item::{RemovalCost, weight};

/// A removal, ready for the writer.
#[derive(Debug)]
pub(crate) struct PreparedRemoval {
    base: BaseVersion,
    policy: PolicyOfKey,
    writes: Vec<Write>,
    beside_version: Object,
    unique_keys: Vec<StorageKey>,
    units: u64,
    explained: Option<Vec<IndexCost>>,
}

impl PreparedRemoval {
    pub(crate) fn new(
        key: &ItemKey,
        old: &KnownVersion,
        policy: PolicyOfKey,
        unique_keys: &[UniqueKey],
        explain: bool,
    ) -> Self {
        let terms = policy.terms(key, old);
        let followed = policy.policy(old.indexed);
        let costs =
            || followed.map_or_else(Vec::new, |policy| index_costs(&policy.policy, &old.item));
        Self {
            base: old.base,
            units: weight(None, &terms).index_units,
            writes: difference(&terms, ItemTerms::default()),
            beside_version: followed
                .map_or_else(Object::new, |policy| properties_beside_version(policy, &old.item)),
            unique_keys: unique_keys_of(unique_keys, key, &old.item),
            explained: explain.then(costs),
            policy,
        }
    }
}

impl ItemTransaction<'_> {
    /// Whether a prepared removal is for the version and the policy that the transaction finds.
    pub(super) fn fits_removal(
        &self,
        prepared: &PreparedRemoval,
        key: &ItemKey,
        record: &ItemRecord,
    ) -> bool {
        prepared.base == BaseVersion::of(Some(record))
            && prepared.policy.is_current(&self.state, self.context.compiled, key)
    }

    /// Removes what a prepared removal lists.
    pub(super) fn write_prepared_removal(
        &mut self,
        key: &ItemKey,
        record: &ItemRecord,
        prepared: PreparedRemoval,
    ) -> RemovalCost {
        self.release_unique_keys(prepared.unique_keys);
        self.add_writes(prepared.writes);
        let beside = &prepared.beside_version;
        for (term, _) in prepared.policy.version_entries(key, record, beside) {
            self.set.remove(TERMS, term);
        }
        RemovalCost { weight: weight_of(Some(record), prepared.units), index: prepared.explained }
    }
}
