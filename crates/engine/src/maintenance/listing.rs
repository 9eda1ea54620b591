//! Lists the items of an older store in the order of creation, online, in steps.
//!
//! Owns one step, which is one transaction. Items up to the cursor are listed, items beyond it are not; every other
//! write asks the partition's state on which side an item is. Until the last step, the partition is read in the order
//! of keys.

use storage::{Direction, KeyRange, Scan, ScanLimit};

use super::round::StepReport;
use crate::error::Error;
use crate::key_layout::{ITEMS, ItemKey};
use crate::partition::{Abort, PartitionTransaction, PreparedTransaction, TransactionContext};
use crate::record::ItemRecord;
use crate::transaction::ItemTransaction;

/// Lists some more items. Does nothing if all are listed.
pub(super) struct ListByCreation {
    pub(super) items_max: usize,
}

impl PartitionTransaction for ListByCreation {
    type Response = StepReport;
    type Failure = Error;

    async fn run(
        &mut self,
        context: TransactionContext<'_>,
    ) -> Result<(PreparedTransaction, StepReport), Abort> {
        let mut transaction = ItemTransaction::new(context);
        let report = list(&mut transaction, self.items_max).await?;
        Ok((transaction.finish(), report))
    }
}

async fn list(
    transaction: &mut ItemTransaction<'_>,
    items_max: usize,
) -> Result<StepReport, Abort> {
    let Some(after) = transaction.state.unlisted_after.clone() else {
        return Ok(StepReport::default());
    };
    // The step scans items. A pending write that the scan misses would never be listed.
    transaction.require_no_pending()?;
    let range = KeyRange::all().after(after.clone(), Direction::Forward);
    let shard = transaction.context.partition.shard;
    let scan = Scan::forward(range, ScanLimit::entries(items_max));
    let page = transaction.context.store.scan(shard, ITEMS, &scan).await?;
    let levels = transaction.context.container.levels();
    let handled = page.entries.len();
    // The cursor moves first: an item is listed only if it lies before it.
    let last = page.entries.last().map_or(after, |last| last.key.clone());
    transaction.state.unlisted_after = page.more.then_some(last);
    for entry in page.entries {
        let key = ItemKey::decode(entry.key, levels)
            .ok_or_else(|| Error::corrupt("a stored item key is damaged"))?;
        transaction.list(&key, &ItemRecord::decode(entry.value)?);
    }
    // Also without an item: the state says that nothing is left.
    transaction.force_commit();
    Ok(StepReport { handled, more: page.more, ..StepReport::default() })
}
