//! Replace: a whole new state for an item that exists.
//!
//! Owns the operation and its part inside the transaction, and the check of a write's precondition. One commit; never a
//! delete followed by a create.

use model::{Json, Precondition, PreconditionResult};

use super::create::change;
use super::input::{self, NewItem};
use super::write::{ItemWrite, ItemWriteResult};
use crate::charge::refused_write;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::metering::OperationKind;
use crate::operation::ReplaceItem;
use crate::partition::Abort;
use crate::record::ItemRecord;
use crate::response::{ItemResource, Response};
use crate::transaction::ItemTransaction;

impl Engine {
    /// Replaces an item.
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
    /// `NotFound` when there is none, `PreconditionFailed` when its etag is another, and those of a create.
    pub async fn replace_item(&self, operation: ReplaceItem) -> Result<Response<ItemResource>> {
        let container = self.container(&operation.container)?;
        let ReplaceItem { partition_key, id, item, options, .. } = operation;
        let new = input::check(&container.identity, partition_key.as_ref(), item)
            .map_err(refused_write)?;
        // Before the writer is involved: what the request alone shows to be wrong must not wait in its queue.
        check_same_id(id.as_str(), &new).map_err(refused_write)?;
        let indexed = container.compiled().indexes(options.indexing);
        let (key, explain) = (new.key.clone(), options.explain_charge);
        let write =
            ItemWrite::Replace { new, precondition: options.precondition, indexed, explain };
        Ok(self.write_item(&container, OperationKind::Replace, &key, write).await?.0)
    }
}

/// Refuses an item with another id than the request.
pub(crate) fn check_same_id(id: &str, new: &NewItem) -> Result<()> {
    if new.key.id() == id {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "The id of the item is {} but the request names {}. An id cannot be changed: create a new item.",
        Json::from(new.key.id()),
        Json::from(id)
    )))
}

/// Replaces inside a transaction.
pub(crate) async fn replace(
    transaction: &mut ItemTransaction<'_>,
    new: &mut NewItem,
    precondition: Option<&Precondition>,
    indexed: bool,
    explain: bool,
) -> std::result::Result<ItemWriteResult, Abort> {
    let key = new.key.clone();
    // Inside the transaction, so that the version that is checked is the one that is replaced.
    let Some(current) = transaction.current(&key).await? else {
        return Err(Abort::Failed(not_found(new.key.id())));
    };
    check_precondition(precondition, &current)?;
    let item = transaction.put(&key, Some(&current), change(new, indexed, explain)).await?;
    Ok(ItemWriteResult::Written { item, patch_operations: 0 })
}

/// Refuses a write whose precondition fails. If-None-Match applies to reads only.
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
