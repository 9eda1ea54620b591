//! The look of a long write into the partition: what it must be prepared for.
//!
//! Owns the transaction that reads the stored versions and reserves ordinals. Does not own the preparation.

use std::collections::HashMap;
use std::sync::Arc;

use model::{TimestampMs, UniqueKey};
use storage::StorageKey;

use crate::catalog::ContainerEntry;
use crate::key_layout::ItemKey;
use crate::partition::{Abort, PartitionTransaction, PreparedTransaction, TransactionContext};
use crate::record::ItemRecord;
use crate::transaction::{ItemTransaction, PolicyOfKey};

/// Looks at items that are about to be written.
pub(super) struct ItemLook {
    pub(super) keys: Vec<ItemKey>,
    /// How many ordinals the writes may need.
    pub(super) ordinals: usize,
    /// Ordinals that an earlier look has reserved.
    pub(super) reserved: Vec<u64>,
}

/// An item as the writer has seen it.
pub(crate) struct SeenItem {
    pub(crate) record: Option<ItemRecord>,
    pub(crate) is_expired: bool,
    pub(crate) policy: PolicyOfKey,
}

/// What the writer has seen at one moment.
pub(crate) struct SeenState {
    pub(crate) items: HashMap<StorageKey, SeenItem>,
    pub(crate) reserved: Vec<u64>,
    pub(crate) unique_keys: Vec<UniqueKey>,
    pub(crate) now: TimestampMs,
}

impl SeenState {
    pub(crate) fn item(&self, key: &ItemKey) -> Option<&SeenItem> {
        self.items.get(key.as_bytes())
    }
}

/// What a transaction is prepared with.
pub(crate) struct PreparationBasis {
    pub(crate) container: Arc<ContainerEntry>,
    pub(crate) seen: SeenState,
}

impl PartitionTransaction for ItemLook {
    type Response = SeenState;
    type Failure = crate::error::Error;

    async fn run(
        &mut self,
        context: TransactionContext<'_>,
    ) -> Result<(PreparedTransaction, SeenState), Abort> {
        let mut transaction = ItemTransaction::new(context);
        let (compiled, now) = (transaction.context.compiled, transaction.context.now);
        let mut items = HashMap::with_capacity(self.keys.len());
        for key in &self.keys {
            let record = transaction.read(key).await?;
            let is_expired =
                record.as_ref().is_some_and(|record| compiled.is_expired(&record.header, now));
            let policy = PolicyOfKey::new(&transaction.state, compiled, key);
            items.insert(key.as_bytes().clone(), SeenItem { record, is_expired, policy });
        }
        let mut reserved = self.reserved.clone();
        let number = transaction.context.partition.number;
        while reserved.len() < self.ordinals {
            reserved.push(transaction.state.next_ordinal(number));
            // Committed: an ordinal that a crash or another process could give to a second item is not reserved. An
            // ordinal that is never used leaves a gap, as a failed create does.
            transaction.force_commit();
        }
        let unique_keys = compiled.properties.unique_keys.clone();
        let seen = SeenState { items, reserved, unique_keys, now };
        Ok((transaction.finish(), seen))
    }
}
