//! Delete by partition key: every item of one logical partition, in steps.
//!
//! Owns the loop and its step, which is one transaction. Each step is atomic; the operation as a whole is not, like
//! that of the service.

use model::{RequestCharge, SessionToken};
use storage::{KeyRange, Scan, ScanLimit};

use super::input::{check_partition_key, logical_partition};
use super::large::{PreparableTransaction, PreparationBasis, PreparationTurns, prepare_removals};
use super::submit::locate;
use crate::charge::{self, Weight};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::key_layout::{ITEMS, ItemKey, LogicalPartition};
use crate::metering::{Amount, OperationKind};
use crate::operation::DeleteByPartitionKey;
use crate::partition::{Abort, PartitionTransaction, PreparedTransaction, TransactionContext};
use crate::record::Removal;
use crate::response::Response;
use crate::throughput::Admission;
use crate::transaction::{ItemTransaction, Preparations};

/// Items deleted in one transaction.
// As many as a transactional batch: other writes of the partition get their turn between two steps.
const STEP_ITEMS: usize = 100;

impl Engine {
    /// Deletes all items of a logical partition and returns how many there were.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use planisphere_engine::{ContainerLink, Engine, operation::*};
    /// # let engine = Engine::in_memory().await?;
    /// # let orders = ContainerLink::new("shop", "orders")?;
    /// # let properties = model::DatabaseProperties { id: orders.database.clone() };
    /// # engine.create_database(CreateDatabase { properties, throughput: None }).await?;
    /// # let key = model::PartitionKeyDefinition::single("/customer")?;
    /// # let properties = model::ContainerProperties::new(orders.container.clone(), key);
    /// # let database = orders.database.clone();
    /// # engine.create_container(CreateContainer { database, properties, throughput: None }).await?;
    /// # let ann = model::PartitionKey::from("ann");
    /// # let order = |text: &str| model::MeasuredJson::parse(text.as_bytes());
    /// # let id = model::ItemId::new("1")?;
    /// # let create = CreateItem {
    /// #     container: orders.clone(),
    /// #     partition_key: None,
    /// #     item: order(r#"{"id":"1","customer":"ann","total":5}"#)?,
    /// #     options: WriteOptions::default(),
    /// # };
    /// # engine.create_item(create).await?;
    /// let delete = DeleteByPartitionKey { container: orders, partition_key: ann };
    /// assert_eq!(engine.delete_by_partition_key(delete).await?.value, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `PartitionKeyMismatch` for an incomplete partition key.
    pub async fn delete_by_partition_key(
        &self,
        operation: DeleteByPartitionKey,
    ) -> Result<Response<u64>> {
        let container = self.container(&operation.container)?;
        check_partition_key(&container.identity, &operation.partition_key)?;
        let partition = logical_partition(&container.identity, &operation.partition_key);
        let epk = container.identity.definition.effective(&operation.partition_key);
        let owner = locate(&container, &epk)?;
        let request = self.metered(OperationKind::DeletePartition);
        let (throughput, logical) = (&container.throughput, Some(partition.partition_ref()));
        let admission = Admission::new(throughput, &owner.throughput, request, logical)?;
        let mut deleted = 0;
        let mut charge = RequestCharge::default();
        loop {
            let partition = partition.clone();
            let step = DeleteStep { partition, items_max: STEP_ITEMS, prepared: None };
            // Located anew for each step, so that a split between two steps does not matter.
            let committed = self.submit(&container, &epk, step).await?;
            let DeletedItems { weights, more } = committed.response;
            deleted += weights.len() as u64;
            charge = weights.into_iter().fold(charge, |sum, weight| sum + charge::delete(weight));
            if !more {
                let items = usize::try_from(deleted).unwrap_or(usize::MAX);
                admission.debit(charge, Amount { items, bytes: 0 });
                let token = SessionToken::new(committed.partition, committed.lsn);
                return Ok(Response {
                    value: deleted,
                    charge,
                    session_token: Some(token),
                    explanation: None,
                });
            }
        }
    }
}

/// Deletes some items of a logical partition.
struct DeleteStep {
    partition: LogicalPartition,
    items_max: usize,
    prepared: Option<Box<Preparations>>,
}

struct DeletedItems {
    /// What each deletion is charged by.
    weights: Vec<Weight>,
    /// Whether items are left.
    more: bool,
}

impl PartitionTransaction for DeleteStep {
    type Response = DeletedItems;
    type Failure = Error;

    async fn run(
        &mut self,
        context: TransactionContext<'_>,
    ) -> std::result::Result<(PreparedTransaction, DeletedItems), Abort> {
        let mut transaction =
            ItemTransaction::new(context).with_preparations(self.prepared.as_deref_mut());
        let deleted = delete_some(&mut transaction, &self.partition, self.items_max).await?;
        Ok((transaction.finish(), deleted))
    }
}

impl PreparableTransaction for DeleteStep {
    fn keys(&self) -> Vec<ItemKey> {
        // Those that a run was too long for are looked at.
        Vec::new()
    }

    fn new_items(&self) -> usize {
        0
    }

    fn bytes(&self) -> usize {
        0
    }

    fn prepare(&mut self, basis: &PreparationBasis, turns: &PreparationTurns) -> Result<()> {
        self.prepared = Some(Box::new(prepare_removals(basis, turns)?));
        Ok(())
    }
}

async fn delete_some(
    transaction: &mut ItemTransaction<'_>,
    partition: &LogicalPartition,
    items_max: usize,
) -> std::result::Result<DeletedItems, Abort> {
    // A scan does not see writes of earlier transactions that are not committed yet.
    transaction.require_no_pending()?;
    let scan = Scan::forward(KeyRange::prefix(partition.as_bytes()), ScanLimit::entries(items_max));
    let shard = transaction.context.partition.shard;
    let page = transaction.context.store.scan(shard, ITEMS, &scan).await?;
    let levels = transaction.context.container.levels();
    let mut weights = Vec::with_capacity(page.entries.len());
    let mut removed_any = false;
    for entry in page.entries {
        let key = ItemKey::decode(entry.key, levels)
            .ok_or_else(|| Error::corrupt("a stored item key is damaged"))?;
        let Some(record) = transaction.read(&key).await? else { continue };
        let expired =
            transaction.context.compiled.is_expired(&record.header, transaction.context.now);
        let removal = if expired { Removal::Expired } else { Removal::Deleted };
        let removed = match transaction.remove(&key, &record, removal, false) {
            // The rest is a step of its own.
            Err(Abort::TooLong(_)) if removed_any => {
                return Ok(DeletedItems { weights, more: true });
            }
            removed => removed?,
        };
        removed_any = true;
        // Expired items are removed on the way, but the caller never saw them: they are neither counted nor charged.
        if !expired {
            weights.push(removed.weight);
        }
    }
    Ok(DeletedItems { weights, more: page.more })
}
