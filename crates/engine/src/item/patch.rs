//! Patch: parts of an item, under a condition.
//!
//! Owns the operation and its part inside the transaction. Does not own the operations on the value:
//! `model` applies them.

use model::{IndexingDirective, ItemTimeToLive, Json, MeasuredJson, Patch};

use super::input::{check_size_and_depth, item_key};
use super::patch_condition::PatchCondition;
use super::replace::{check_precondition, not_found};
use super::write::{ItemWrite, ItemWriteResult};
use crate::charge::refused_write;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::ItemKey;
use crate::metering::OperationKind;
use crate::operation::{PatchItem, WriteOptions};
use crate::partition::Abort;
use crate::record::{Placement, SYSTEM_PROPERTIES};
use crate::response::{ItemResource, Response};
use crate::transaction::{ItemChange, ItemTransaction};

impl Engine {
    /// Changes parts of an item.
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
    /// # use model::{Json, Patch};
    /// let body = Json::parse(br#"{"operations":[{"op":"incr","path":"/total","value":1}]}"#)?;
    /// let patch = PatchItem {
    ///     container: orders,
    ///     partition_key: ann,
    ///     id,
    ///     patch: Patch::from_json(&body)?,
    ///     options: WriteOptions::default(),
    /// };
    /// let patched = engine.patch_item(patch).await?.value;
    /// assert_eq!(patched.to_json().get("total"), Some(&Json::from(6)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound`, `PreconditionFailed` (etag or condition), `Invalid` when an operation does not fit the item,
    /// `BadQuery` when the condition cannot be read.
    pub async fn patch_item(&self, operation: PatchItem) -> Result<Response<ItemResource>> {
        let container = self.container(&operation.container)?;
        let PatchItem { partition_key, id, patch, options, .. } = operation;
        let key = item_key(&container.identity, &partition_key, &id).map_err(refused_write)?;
        let target = key.clone();
        // Parsed before the queue: a syntax error must not take a turn of the writer, and a second run must not parse
        // again.
        let patch = self.stored_patch(patch);
        let Some(condition) = PatchCondition::read(&patch, 1)? else {
            let write = ItemWrite::Patch { key, patch, condition: None, options };
            return Ok(self.write_item(&container, OperationKind::Patch, &target, write).await?.0);
        };
        for _ in 0..CONDITION_ATTEMPTS {
            let (key, patch, options) = (key.clone(), patch.clone(), options.clone());
            let condition_of_write = Some(condition.clone());
            let write = ItemWrite::Patch { key, patch, condition: condition_of_write, options };
            let written = self.write_item(&container, OperationKind::Patch, &target, write).await;
            if written.is_ok() || !condition.take_exceeded() {
                return Ok(written?.0);
            }
            // Nothing was written: the condition is too long for the writer.
            self.evaluate_condition(&container, &target, &condition).await?;
        }
        Err(Error::new(
            ErrorKind::OutOfTime,
            "Request timed out: the item was changed each time that the condition of the patch was evaluated. Retry, \
             or simplify the condition.",
        ))
    }
}

/// How often a patch is tried whose condition is too long for the writer, because the item changes in between.
const CONDITION_ATTEMPTS: usize = 8;

/// Patches inside a transaction.
pub(crate) async fn patch(
    transaction: &mut ItemTransaction<'_>,
    key: &ItemKey,
    patch: &Patch,
    condition: Option<&PatchCondition>,
    options: &WriteOptions,
) -> std::result::Result<ItemWriteResult, Abort> {
    let Some(current) = transaction.current(key).await? else {
        return Err(Abort::Failed(not_found(key.id())));
    };
    // Before parsing the stored item: an etag that does not match is the cheap answer.
    check_precondition(options.precondition.as_ref(), &current)?;
    // Parsed anew in each run: a run that was deferred has changed its copy, not the stored item.
    let mut item = current.parse()?;
    if let Some(condition) = condition {
        condition.check(&current.header.etag, &item, transaction.context.now)?;
    }
    if let Json::Object(object) = &mut item {
        patch
            .apply(object, transaction.context.container.definition.paths())
            .map_err(Error::from)?;
    }
    let bytes = check_patched(&item)?;
    let time_to_live = ItemTimeToLive::from_item(&item).map_err(Error::from)?;
    if !matches!(item, Json::Object(_)) {
        return Err(Abort::Failed(Error::corrupt("a stored item is not an object")));
    }
    let indexed = match options.indexing {
        // A patch without a directive keeps the item as it was written; the other directives decide anew.
        IndexingDirective::Default => current.header.indexed,
        directive => transaction.context.compiled.indexes(directive),
    };
    let (placement, explain) = (Placement::InPlace, options.explain_charge);
    let change = ItemChange {
        item: &mut item,
        bytes,
        placement,
        time_to_live,
        indexed,
        explain,
        detached: None,
    };
    let written = transaction.put(key, key, Some(&current), change).await?;
    Ok(ItemWriteResult::Written { item: written, patch_operations: patch.operations().len() })
}

/// Checks that a patch does not exceed what a create may write, and returns the size. System properties do not count
/// there either.
fn check_patched(item: &Json) -> Result<usize> {
    let Json::Object(object) = item else { return Ok(0) };
    let mut own = object.clone();
    for name in SYSTEM_PROPERTIES {
        own.remove(name);
    }
    check_size_and_depth(&MeasuredJson::from(Json::Object(own)))
}
