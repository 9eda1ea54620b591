//! The first turn of a large write in the partition writer: what the item must be prepared for.
//!
//! Owns the transaction that reads the stored version and reserves an ordinal. Does not own the preparation.

use model::UniqueKey;

use crate::key_layout::ItemKey;
use crate::partition::{Abort, PartitionTransaction, PreparedTransaction, TransactionContext};
use crate::record::ItemRecord;
use crate::transaction::{FollowedPolicy, ItemTransaction};

/// Looks at an item that is about to be written.
pub(super) struct ItemLook {
    pub(super) key: ItemKey,
    /// An ordinal that an earlier look has reserved.
    pub(super) reserved: Option<u64>,
    /// Whether a new item may be created.
    pub(super) may_create: bool,
}

/// What was seen.
pub(super) struct SeenItem {
    pub(super) record: Option<ItemRecord>,
    pub(super) is_expired: bool,
    pub(super) reserved: Option<u64>,
    pub(super) policy: Option<FollowedPolicy>,
    pub(super) unique_keys: Vec<UniqueKey>,
}

impl PartitionTransaction for ItemLook {
    type Response = SeenItem;
    type Failure = crate::error::Error;

    async fn run(
        &mut self,
        context: TransactionContext<'_>,
    ) -> Result<(PreparedTransaction, SeenItem), Abort> {
        let mut transaction = ItemTransaction::new(context);
        let record = transaction.read(&self.key).await?;
        let compiled = transaction.context.compiled;
        let now = transaction.context.now;
        let is_expired =
            record.as_ref().is_some_and(|record| compiled.is_expired(&record.header, now));
        let generation = transaction.state.generation_at(self.key.as_bytes());
        let policy = compiled.policy(generation).map(|policy| (generation, policy.clone()));
        let unique_keys = compiled.properties.unique_keys.clone();
        let mut reserved = self.reserved;
        if record.is_none() && reserved.is_none() && self.may_create {
            let number = transaction.context.partition.number;
            reserved = Some(transaction.state.next_ordinal(number));
            // Committed: an ordinal that a crash or another process could give to a second item is not reserved. An
            // ordinal that is never used leaves a gap, as a failed create does.
            transaction.force_commit();
        }
        let seen = SeenItem { record, is_expired, reserved, policy, unique_keys };
        Ok((transaction.finish(), seen))
    }
}
