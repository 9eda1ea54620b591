//! Rebuilding index terms for another indexing policy, online, in steps.
//!
//! Owns one step, which is one transaction. Items up to the cursor follow the new policy, items beyond it the old one.
//! Every other write asks the partition's state which of the two an item follows, so that the terms are consistent at
//! any time.

use storage::{Direction, KeyRange, Scan, ScanLimit, StorageKey};

use super::round::StepReport;
use crate::error::Error;
use crate::index::terms_of;
use crate::key_layout::{ITEMS, ItemKey};
use crate::partition::{
    Abort, PartitionTransaction, PreparedTransaction, Rebuild, TransactionContext,
};
use crate::record::ItemRecord;
use crate::transaction::ItemTransaction;

/// Moves the terms of some items to the newest policy. Does nothing if all items follow it.
pub(super) struct RebuildTerms {
    pub(super) items_max: usize,
}

impl PartitionTransaction for RebuildTerms {
    type Response = StepReport;
    type Failure = Error;

    async fn run(
        &mut self,
        context: TransactionContext<'_>,
    ) -> Result<(PreparedTransaction, StepReport), Abort> {
        let mut transaction = ItemTransaction::new(context);
        let report = rebuild(&mut transaction, self.items_max).await?;
        Ok((transaction.finish(), report))
    }
}

async fn rebuild(
    transaction: &mut ItemTransaction<'_>,
    items_max: usize,
) -> Result<StepReport, Abort> {
    // The step scans items. A pending write behind the scan would keep terms of the old policy for ever.
    transaction.require_no_pending()?;
    let newest = transaction.context.compiled.generation;
    let from = transaction.state.index_generation;
    let Some(rebuild) = next_rebuild(transaction, newest) else {
        return Ok(StepReport::default());
    };
    let (Some(old), Some(new)) = (
        transaction.context.compiled.policy(from).cloned(),
        transaction.context.compiled.policy(rebuild.generation).cloned(),
    ) else {
        return Err(
            Error::corrupt("an indexing policy that stored terms still follow is missing").into()
        );
    };
    // An empty key at the start: every item key is greater.
    let range = KeyRange::all().after(rebuild.through.clone(), Direction::Forward);
    let shard = transaction.context.partition.shard;
    let scan = Scan::forward(range, ScanLimit::entries(items_max));
    let page = transaction.context.store.scan(shard, ITEMS, &scan).await?;
    let levels = transaction.context.container.levels();
    let handled = page.entries.len();
    let mut through = rebuild.through;
    for entry in page.entries {
        // The cursor passes items without terms too, so that a later write of them follows the new policy.
        through = entry.key.clone();
        let key = ItemKey::decode(entry.key, levels)
            .ok_or_else(|| Error::corrupt("a stored item key is damaged"))?;
        let record = ItemRecord::decode(entry.value)?;
        if record.header.indexed {
            let item = record.parse()?;
            let ordinal = record.header.position.ordinal;
            let (old, new) =
                (terms_of(&old, &key, ordinal, &item), terms_of(&new, &key, ordinal, &item));
            // Only terms change. Version, lsn and etag of the item stay: clients and feeds do not see a rebuild.
            transaction.reindex(&old, new);
        }
    }
    let items_done = rebuild.items_done + handled as u64;
    advance(transaction, rebuild.generation, through, items_done, page.more);
    // The policy may have been replaced again meanwhile; then another rebuild starts with the next step.
    let more = page.more || transaction.state.index_generation != newest;
    Ok(StepReport { handled, more, ..StepReport::default() })
}

/// The rebuild to continue, or a new one. A policy that was replaced again during a rebuild waits until it is finished:
/// terms follow two generations at most.
fn next_rebuild(transaction: &ItemTransaction<'_>, newest: u32) -> Option<Rebuild> {
    if let Some(rebuild) = &transaction.state.rebuild {
        return Some(rebuild.clone());
    }
    let is_outdated = transaction.state.index_generation != newest;
    is_outdated.then(|| Rebuild { generation: newest, through: StorageKey::new(), items_done: 0 })
}

fn advance(
    transaction: &mut ItemTransaction<'_>,
    generation: u32,
    through: StorageKey,
    items_done: u64,
    more: bool,
) {
    if more {
        transaction.state.rebuild = Some(Rebuild { generation, through, items_done });
    } else {
        transaction.state.rebuild = None;
        transaction.state.index_generation = generation;
    }
    // The catalog drops a policy once no partition needs it. If the cursor on disk were behind, terms would follow a
    // policy that is gone after a crash.
    transaction.force_commit();
}
