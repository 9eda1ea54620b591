//! Upsert: create when there is none, replace when there is one.
//!
//! Owns the operation and its part inside the transaction.

use model::Precondition;

use super::create::change;
use super::input::{self, NewItem};
use super::replace::{check_precondition, not_found};
use super::write::{ItemWrite, ItemWriteResult};
use crate::charge::refused_write;
use crate::engine::Engine;
use crate::error::{ErrorKind, Result};
use crate::metering::OperationKind;
use crate::operation::UpsertItem;
use crate::partition::Abort;
use crate::response::{Response, UpsertResult};
use crate::transaction::ItemTransaction;

impl Engine {
    /// Creates or replaces an item.
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
    /// let upsert = UpsertItem {
    ///     container: orders,
    ///     partition_key: None,
    ///     item: order(r#"{"id":"2","customer":"ann"}"#)?,
    ///     options: WriteOptions::default(),
    /// };
    /// engine.upsert_item(upsert).await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `PreconditionFailed` when an etag was given and there is no item of that etag, and those of a create.
    pub async fn upsert_item(&self, operation: UpsertItem) -> Result<Response<UpsertResult>> {
        let container = self.container(&operation.container)?;
        let UpsertItem { partition_key, item, options, .. } = operation;
        let new = input::check(&container.identity, partition_key.as_ref(), item)
            .map_err(refused_write)?;
        let indexed = container.compiled().indexes(options.indexing);
        let (key, explain) = (new.key.clone(), options.explain_charge);
        let write = ItemWrite::Upsert { new, precondition: options.precondition, indexed, explain };
        let kind = OperationKind::Upsert;
        let (response, created) = self.write_item(&container, kind, &key, write).await?;
        Ok(response.map(|item| {
            if created { UpsertResult::Created(item) } else { UpsertResult::Replaced(item) }
        }))
    }
}

/// Upserts inside a transaction.
pub(crate) async fn upsert(
    transaction: &mut ItemTransaction<'_>,
    new: &mut NewItem,
    precondition: Option<&Precondition>,
    indexed: bool,
    explain: bool,
) -> std::result::Result<ItemWriteResult, Abort> {
    let key = new.key.clone();
    let current = transaction.current(&key).await?;
    match (&current, precondition) {
        (Some(current), precondition) => check_precondition(precondition, current)?,
        // Not a create: whoever sends an etag has read an item, and it is gone. The service answers 412, not 404.
        (None, Some(Precondition::IfMatch(_))) => {
            let absent = not_found(new.key.id());
            let message = format!("{} An upsert with an etag expects an item.", absent.message());
            return Err(Abort::Failed(crate::Error::new(ErrorKind::PreconditionFailed, message)));
        }
        (None, _) => {}
    }
    let item = transaction.put(&key, current.as_ref(), change(new, indexed, explain)).await?;
    Ok(ItemWriteResult::Written { item, patch_operations: 0 })
}
