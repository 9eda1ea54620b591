//! One step of maintenance: a bounded page of entries, handled in one transaction.
//!
//! Owns the transaction around a step and reading its page. Does not own what a step does with the entries, nor where
//! its cursor is: both are the step's own.

use model::RequestCharge;
use storage::{Direction, KeyRange, Read, Scan, ScanLimit, ScanPage, Shard, Space, StorageKey};

use crate::error::{Error, Result};
use crate::key_layout::{ChangePosition, ITEMS, ItemKey};
use crate::partition::{Abort, PartitionTransaction, PreparedTransaction, TransactionContext};
use crate::record::ItemRecord;
use crate::transaction::{ItemTransaction, Preparations};

/// What one step does.
pub(super) trait MaintenanceStep: Send + Sync + 'static {
    /// Handles the next page of entries. It may be called several times, as a transaction may run several times.
    fn handle(
        &mut self,
        transaction: &mut ItemTransaction<'_>,
    ) -> impl Future<Output = std::result::Result<StepReport, Abort>> + Send;
}

/// What one step did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StepReport {
    /// Items or versions.
    pub(super) handled: usize,
    pub(super) charge: RequestCharge,
    /// Whether more is left to do.
    pub(super) more: bool,
}

/// A step as a transaction.
pub(super) struct StepTransaction<S> {
    step: S,
    /// Removals of large items that were prepared outside of the writer.
    pub(super) prepared: Option<Box<Preparations>>,
}

impl<S> StepTransaction<S> {
    pub(super) fn new(step: S) -> Self {
        Self { step, prepared: None }
    }
}

impl<S: MaintenanceStep> PartitionTransaction for StepTransaction<S> {
    type Response = StepReport;
    type Failure = Error;

    async fn run(
        &mut self,
        context: TransactionContext<'_>,
    ) -> std::result::Result<(PreparedTransaction, StepReport), Abort> {
        let Self { step, prepared } = self;
        let mut transaction =
            ItemTransaction::new(context).with_preparations(prepared.as_deref_mut());
        let report = step.handle(&mut transaction).await?;
        Ok((transaction.finish(), report))
    }
}

/// Some items in the order of their keys.
pub(super) struct ItemPage {
    pub(super) items: Vec<(ItemKey, ItemRecord)>,
    /// Whether more follow.
    pub(super) more: bool,
}

/// Reads the items after a key, without parsing them. `levels` are those of the partition key.
pub(super) async fn items_after(
    store: &dyn Read,
    (shard, levels): (Shard, usize),
    after: &StorageKey,
    limit: ScanLimit,
) -> Result<ItemPage> {
    let range = KeyRange::all().after(after.clone(), Direction::Forward);
    let page = store.scan(shard, ITEMS, &Scan::forward(range, limit)).await?;
    let decode = |entry: storage::Entry| {
        let key = ItemKey::decode(entry.key, levels)
            .ok_or_else(|| Error::corrupt("a stored item key is damaged"))?;
        Ok((key, ItemRecord::decode(entry.value)?))
    };
    let items = page.entries.into_iter().map(decode).collect::<Result<_>>()?;
    Ok(ItemPage { items, more: page.more })
}

/// Reads a page of entries of the transaction's partition.
pub(super) async fn scan(
    transaction: &ItemTransaction<'_>,
    space: Space,
    range: KeyRange,
    entries_max: usize,
) -> std::result::Result<ScanPage, Abort> {
    let shard = transaction.context.partition.shard;
    let scan = Scan::forward(range, ScanLimit::entries(entries_max));
    Ok(transaction.context.store.scan(shard, space, &scan).await?)
}

pub(super) fn change_position(key: &[u8]) -> std::result::Result<ChangePosition, Abort> {
    let damaged = || Error::corrupt("the key of a change is damaged").into();
    ChangePosition::decode(key).ok_or_else(damaged)
}
