//! Lists the items of an older store in the order of creation, online, in steps.
//!
//! Owns one step, which is one transaction. Items up to the cursor are listed, items beyond it are not; every other
//! write asks the partition's state on which side an item is. Until the last step, the partition is read in the order
//! of keys.

use storage::ScanLimit;

use super::step::{MaintenanceStep, StepReport, items_after};
use crate::partition::Abort;
use crate::transaction::ItemTransaction;

/// Lists some more items. Does nothing if all are listed.
pub(super) struct ListByCreation {
    pub(super) items_max: usize,
}

impl MaintenanceStep for ListByCreation {
    async fn handle(&mut self, transaction: &mut ItemTransaction<'_>) -> Result<StepReport, Abort> {
        let Some(after) = transaction.state.unlisted_after.clone() else {
            return Ok(StepReport::default());
        };
        // The step scans items. A pending write that the scan misses would never be listed.
        transaction.require_no_pending()?;
        let levels = transaction.context.container.levels();
        let place = (transaction.context.partition.shard, levels);
        let limit = ScanLimit::entries(self.items_max);
        let page = items_after(transaction.context.store, place, &after, limit).await?;
        // The cursor moves first: an item is listed only if it lies before it.
        let last = page.items.last().map_or(after, |(key, _)| key.as_bytes().clone());
        transaction.state.unlisted_after = page.more.then_some(last);
        for (key, record) in &page.items {
            transaction.list(key, record);
        }
        // Also without an item: the state says that nothing is left.
        transaction.force_commit();
        Ok(StepReport { handled: page.items.len(), more: page.more, ..StepReport::default() })
    }
}
