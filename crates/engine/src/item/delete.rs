//! Delete: the item is removed; the deletion is kept in the versions for the all-versions feed.
//!
//! Owns the operation and its part inside the transaction.

use model::Precondition;

use super::input::item_key;
use super::replace::{check_precondition, not_found};
use super::submit::{Committed, locate, point_response, unexpected_result};
use super::triggered::TriggeredWrite;
use super::write::{ItemWrite, ItemWriteResult};
use crate::charge;
use crate::engine::Engine;
use crate::error::Result;
use crate::key_layout::ItemKey;
use crate::metering::{Amount, OperationKind};
use crate::operation::{DeleteItem, WriteOptions};
use crate::partition::Abort;
use crate::record::Removal;
use crate::response::Response;
use crate::throughput::Admission;
use crate::transaction::ItemTransaction;

impl Engine {
    /// Deletes an item.
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
    /// let options = WriteOptions::default();
    /// let delete = DeleteItem { container: orders, partition_key: ann, id, options };
    /// engine.delete_item(delete).await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound` when there is none, `PreconditionFailed` when its etag is another.
    pub async fn delete_item(&self, operation: DeleteItem) -> Result<Response<()>> {
        let container = self.container(&operation.container)?;
        if !operation.options.triggers.is_empty() {
            let DeleteItem { partition_key, id, options, .. } = operation;
            let (kind, item) = (OperationKind::Delete, None);
            let (partition_key, id) = (Some(partition_key), Some(id));
            let write = TriggeredWrite { kind, partition_key, id, item, options };
            let written = Box::pin(self.write_with_triggers(&container, write)).await?;
            return Ok(written.map(drop));
        }
        let key = item_key(&container.identity, &operation.partition_key, &operation.id)
            .map_err(charge::refused_write)?;
        let epk = key.epk();
        let (target, partition) = (key.clone(), locate(&container, &epk)?);
        let request = self.metered(OperationKind::Delete);
        let (throughput, logical) = (&container.throughput, Some(target.partition_ref()));
        let admission = Admission::new(throughput, &partition.throughput, request, logical)?;
        let WriteOptions { precondition, explain_charge: explain, .. } = operation.options;
        let write = ItemWrite::Delete { key, precondition, explain };
        let committed =
            self.submit_write(&container, &epk, write).await.map_err(charge::refused_write);
        let deleted = committed.and_then(|committed| {
            let Committed { response, partition, lsn, .. } = committed;
            let ItemWriteResult::Deleted { old, index } = response else {
                return Err(unexpected_result());
            };
            let explanation = index.map(|index| self.charges().explain_delete(old, &index));
            let response = point_response((), charge::delete(old), partition, lsn);
            Ok(Response { explanation, ..response })
        });
        admission.finish(deleted, |()| Amount { items: 1, bytes: 0 })
    }
}

/// Deletes inside a transaction.
pub(crate) async fn delete(
    transaction: &mut ItemTransaction<'_>,
    key: &ItemKey,
    precondition: Option<&Precondition>,
    explain: bool,
) -> std::result::Result<ItemWriteResult, Abort> {
    let Some(current) = transaction.current(key).await? else {
        return Err(Abort::Failed(not_found(key.id())));
    };
    check_precondition(precondition, &current)?;
    let removed = transaction.remove(key, &current, Removal::Deleted, explain)?;
    Ok(ItemWriteResult::Deleted { old: removed.weight, index: removed.index })
}
