//! What a preparation was made for: a version of the item, and an indexing policy.
//!
//! Owns the comparison with what the writer finds. Does not own preparations.

use std::sync::Arc;

use model::{Etag, Json, Lsn, TimestampSeconds};
use storage::{StorageKey, StorageValue};

use crate::container::CompiledProperties;
use crate::index::{CompiledPolicy, ItemTerms, terms_without_version, version_terms};
use crate::key_layout::ItemKey;
use crate::partition::PartitionState;
use crate::record::ItemRecord;

/// The version of an item that a preparation is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BaseVersion {
    /// There is no item.
    Absent,
    /// The stored version with this etag.
    Stored(Etag),
    /// What an earlier operation of the same transaction has written.
    Own,
}

impl BaseVersion {
    pub(crate) fn of(record: Option<&ItemRecord>) -> Self {
        match record {
            None => Self::Absent,
            // No stored record has this lsn: the commit replaces it.
            Some(record) if record.header.position.lsn == Lsn::ZERO => Self::Own,
            Some(record) => Self::Stored(record.header.etag),
        }
    }
}

/// A version of an item, parsed.
#[derive(Debug)]
pub(crate) struct KnownVersion {
    pub(crate) item: Json,
    pub(crate) base: BaseVersion,
    pub(crate) ordinal: u64,
    pub(crate) indexed: bool,
    /// Bytes of its text.
    pub(crate) bytes: usize,
}

/// The indexing policy that the terms of one key follow.
#[derive(Clone, Debug)]
pub(crate) struct PolicyOfKey {
    generation: u32,
    policy: Option<Arc<CompiledPolicy>>,
}

impl PolicyOfKey {
    pub(crate) fn new(
        state: &PartitionState,
        compiled: &CompiledProperties,
        key: &ItemKey,
    ) -> Self {
        let generation = state.generation_at(key.as_bytes());
        Self { generation, policy: compiled.policy(generation).cloned() }
    }

    /// The policy of an item that is indexed or not.
    pub(super) fn policy(&self, indexed: bool) -> Option<&Arc<CompiledPolicy>> {
        self.policy.as_ref().filter(|_| indexed)
    }

    /// All terms but those that contain the etag or the timestamp.
    pub(super) fn terms(&self, key: &ItemKey, version: &KnownVersion) -> ItemTerms {
        self.policy(version.indexed).map_or_else(ItemTerms::default, |policy| {
            terms_without_version(policy, key, version.ordinal, &version.item)
        })
    }

    /// The terms that contain the etag or the timestamp.
    pub(super) fn version_entries(
        &self,
        key: &ItemKey,
        record: &ItemRecord,
        beside: &model::Object,
    ) -> Vec<(StorageKey, StorageValue)> {
        let header = &record.header;
        let TimestampSeconds(seconds) = header.timestamp;
        let etag = header.etag.to_string();
        self.policy(header.indexed).map_or_else(Vec::new, |policy| {
            version_terms(policy, key, header.position.ordinal, (&etag, seconds), beside)
        })
    }

    /// Whether the terms of the key still follow this policy.
    pub(super) fn is_current(
        &self,
        state: &PartitionState,
        compiled: &CompiledProperties,
        key: &ItemKey,
    ) -> bool {
        let generation = state.generation_at(key.as_bytes());
        let is_same = match (&self.policy, compiled.policy(generation)) {
            (None, None) => true,
            (Some(ours), Some(current)) => Arc::ptr_eq(ours, current),
            _ => false,
        };
        is_same && self.generation == generation
    }
}
