//! Upsert: create when there is none, replace when there is one.
//!
//! Owns the operation and its part inside the transaction.

use model::{Precondition, PreconditionResult};

use super::create::change;
use super::input::NewItem;
use super::replace::check_precondition;
use super::triggered::TriggeredWrite;
use super::write::{ItemWrite, ItemWriteResult};
use crate::charge::refused_write;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::metering::OperationKind;
use crate::operation::UpsertItem;
use crate::partition::Abort;
use crate::record::ItemRecord;
use crate::response::{Response, TriggeredResult, UpsertResult};
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
    /// `PreconditionFailed` when an etag was given and the item has another one, and those of a create.
    pub async fn upsert_item(&self, operation: UpsertItem) -> Result<Response<UpsertResult>> {
        let container = self.container(&operation.container)?;
        let UpsertItem { partition_key, item, options, .. } = operation;
        if !options.triggers.is_empty() {
            let (kind, id) = (OperationKind::Upsert, None);
            let (partition_key, item) = (partition_key, Some(item));
            let write = TriggeredWrite { kind, partition_key, id, item, options };
            let written = Box::pin(self.write_with_triggers(&container, write)).await?;
            return written.try_map(TriggeredResult::into_upserted);
        }
        let new = self.check_input(&container, partition_key, item).await.map_err(refused_write)?;
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
    // Without an item there is no etag to compare: as in the service, the upsert then creates.
    if let Some(current) = &current {
        check_precondition(precondition, current)?;
        check_if_none_match(precondition, current)?;
    }
    let item = transaction.put(&key, &key, current.as_ref(), change(new, indexed, explain)).await?;
    Ok(ItemWriteResult::Written { item, patch_operations: 0 })
}

/// Refuses to replace an item that If-None-Match excludes. Upserts are the only writes that know this precondition: the
/// others name one intention, create or replace, and the service ignores it there.
fn check_if_none_match(precondition: Option<&Precondition>, current: &ItemRecord) -> Result<()> {
    let Some(precondition @ Precondition::IfNoneMatch(excluded)) = precondition else {
        return Ok(());
    };
    let etag = current.header.etag.to_string();
    if precondition.check(Some(&etag)) == PreconditionResult::Proceed {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::PreconditionFailed,
        format!(
            "Operation cannot be performed because one of the specified precondition is not met. \
             The etag is {etag}, the request excludes {excluded}."
        ),
    ))
}
