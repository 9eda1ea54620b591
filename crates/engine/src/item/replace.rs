//! Replace: a whole new state for an item that exists.
//!
//! Owns the operation and its part inside the transaction, and the check of a write's precondition. One commit; never a
//! delete followed by a create.

use model::{ItemId, Json, Precondition, PreconditionResult};

use super::create::{change, conflict};
use super::input::NewItem;
use super::triggered::TriggeredWrite;
use super::write::{ItemWrite, ItemWriteResult};
use crate::charge::refused_write;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::ItemKey;
use crate::metering::OperationKind;
use crate::operation::ReplaceItem;
use crate::partition::Abort;
use crate::record::ItemRecord;
use crate::response::{ItemResource, Response, TriggeredResult};
use crate::transaction::ItemTransaction;

impl Engine {
    /// Replaces an item. If the new item has another id, the item is renamed: it keeps its resource id and history.
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
    /// let replace = ReplaceItem {
    ///     container: orders,
    ///     partition_key: None,
    ///     id,
    ///     item: order(r#"{"id":"1","customer":"ann","total":6}"#)?,
    ///     options: WriteOptions::default(),
    /// };
    /// engine.replace_item(replace).await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound` when there is none, `PreconditionFailed` when its etag is another, `Conflict` when another item has
    /// the new id, and those of a create.
    pub async fn replace_item(&self, operation: ReplaceItem) -> Result<Response<ItemResource>> {
        let container = self.container(&operation.container)?;
        let ReplaceItem { partition_key, id, item, options, .. } = operation;
        if !options.triggers.is_empty() {
            let (kind, id) = (OperationKind::Replace, Some(id));
            let (partition_key, item) = (partition_key, Some(item));
            let write = TriggeredWrite { kind, partition_key, id, item, options };
            let written = Box::pin(self.write_with_triggers(&container, write)).await?;
            return written.try_map(TriggeredResult::into_item);
        }
        let new = self.check_input(&container, partition_key, item).await.map_err(refused_write)?;
        let renamed_from = renamed_from(&id, &new);
        let indexed = container.compiled().indexes(options.indexing);
        let (key, explain) = (new.key.clone(), options.explain_charge);
        let precondition = options.precondition;
        let write = ItemWrite::Replace { new, renamed_from, precondition, indexed, explain };
        Ok(self.write_item(&container, OperationKind::Replace, &key, write).await?.0)
    }
}

/// The key under which a replaced item is stored, if the new item has another id: the replace renames it then.
pub(crate) fn renamed_from(id: &ItemId, new: &NewItem) -> Option<ItemKey> {
    (new.key.id() != id.as_str()).then(|| new.key.partition().item(id.as_str()))
}

/// How an item is replaced inside a transaction.
pub(crate) struct ReplaceOptions<'write> {
    pub(crate) precondition: Option<&'write Precondition>,
    pub(crate) indexed: bool,
    pub(crate) explain: bool,
}

/// Replaces inside a transaction.
pub(crate) async fn replace(
    transaction: &mut ItemTransaction<'_>,
    new: &mut NewItem,
    renamed_from: Option<&ItemKey>,
    options: ReplaceOptions<'_>,
) -> std::result::Result<ItemWriteResult, Abort> {
    let key = new.key.clone();
    // Inside the transaction, so that the version that is checked is the one that is replaced.
    let old_key = renamed_from.unwrap_or(&key);
    let Some(current) = transaction.current(old_key).await? else {
        return Err(Abort::Failed(not_found(old_key.id())));
    };
    check_precondition(options.precondition, &current)?;
    // Both names belong to one logical partition, so that the check and the move are in one transaction.
    if renamed_from.is_some() && transaction.current(&key).await?.is_some() {
        return Err(Abort::Failed(conflict(key.id())));
    }
    let change = change(new, options.indexed, options.explain);
    let item = transaction.put(old_key, &key, Some(&current), change).await?;
    Ok(ItemWriteResult::Written { item, patch_operations: 0 })
}

/// Refuses a write whose precondition fails. If-None-Match applies to reads and upserts.
pub(crate) fn check_precondition(
    precondition: Option<&Precondition>,
    current: &ItemRecord,
) -> Result<()> {
    let Some(precondition @ Precondition::IfMatch(expected)) = precondition else { return Ok(()) };
    // Compared as text: a client may send anything, and only the text is defined.
    let etag = current.header.etag.to_string();
    match precondition.check(Some(&etag)) {
        PreconditionResult::Proceed => Ok(()),
        _ => Err(Error::new(
            ErrorKind::PreconditionFailed,
            format!(
                "Operation cannot be performed because one of the specified precondition is not met. \
                 The etag is {etag}, the request expects {expected}."
            ),
        )),
    }
}

pub(crate) fn not_found(id: &str) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!(
            "Entity with the specified id does not exist in the system. The id is {}.",
            Json::from(id)
        ),
    )
}
