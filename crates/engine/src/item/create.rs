//! Create: a new item, or a conflict.
//!
//! Owns the operation and its part inside the transaction. Does not own what a write touches: see
//! `transaction`.

use model::Json;

use super::input::NewItem;
use super::triggered::TriggeredWrite;
use super::write::{ItemWrite, ItemWriteResult};
use crate::charge::refused_write;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::metering::OperationKind;
use crate::operation::CreateItem;
use crate::partition::Abort;
use crate::record::Placement;
use crate::response::{ItemResource, Response, TriggeredResult};
use crate::transaction::{ItemChange, ItemTransaction};

impl Engine {
    /// Creates an item.
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
    /// let create = CreateItem {
    ///     container: orders,
    ///     partition_key: None, // Extracted from the item.
    ///     item: order(r#"{"id":"1","customer":"ann"}"#)?,
    ///     options: WriteOptions::default(),
    /// };
    /// let created = engine.create_item(create).await?;
    /// println!("etag {}, {} RU", created.value.etag(), created.charge);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Conflict` when its id or a unique key is taken in its logical partition, `Invalid`, `PartitionKeyMismatch` or
    /// `TooLarge` for an item the service would not take, `OwnerNotFound` without container.
    pub async fn create_item(&self, operation: CreateItem) -> Result<Response<ItemResource>> {
        let container = self.container(&operation.container)?;
        let CreateItem { partition_key, item, options, .. } = operation;
        if !options.triggers.is_empty() {
            let (kind, id) = (OperationKind::Create, None);
            let (partition_key, item) = (partition_key, Some(item));
            let write = TriggeredWrite { kind, partition_key, id, item, options };
            let written = Box::pin(self.write_with_triggers(&container, write)).await?;
            return written.try_map(TriggeredResult::into_item);
        }
        let new = self.check_input(&container, partition_key, item).await.map_err(refused_write)?;
        // Decided once, here: a policy that is replaced while the write is queued applies to its terms, not to this
        // choice.
        let indexed = container.compiled().indexes(options.indexing);
        let (key, explain) = (new.key.clone(), options.explain_charge);
        let write = ItemWrite::Create { new, indexed, explain };
        Ok(self.write_item(&container, OperationKind::Create, &key, write).await?.0)
    }
}

/// Creates inside a transaction.
pub(crate) async fn create(
    transaction: &mut ItemTransaction<'_>,
    new: &mut NewItem,
    indexed: bool,
    explain: bool,
) -> std::result::Result<ItemWriteResult, Abort> {
    let key = new.key.clone();
    // Reads through the transaction: an earlier operation of the batch may have created or deleted it.
    if transaction.current(&key).await?.is_some() {
        return Err(Abort::Failed(conflict(key.id())));
    }
    let item = transaction.put(&key, &key, None, change(new, indexed, explain)).await?;
    Ok(ItemWriteResult::Written { item, patch_operations: 0 })
}

/// The change to a whole item as the client sent it.
pub(crate) fn change(new: &mut NewItem, indexed: bool, explain: bool) -> ItemChange<'_> {
    ItemChange {
        item: &mut new.item,
        bytes: new.bytes,
        placement: Placement::AtEnd,
        time_to_live: new.time_to_live,
        indexed,
        explain,
    }
}

pub(crate) fn conflict(id: &str) -> Error {
    Error::new(
        ErrorKind::Conflict,
        format!(
            "Entity with the specified id already exists in the system. The id is {} in its logical partition.",
            Json::from(id)
        ),
    )
}
