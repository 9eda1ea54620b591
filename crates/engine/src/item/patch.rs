//! Patch: parts of an item, under a condition.
//!
//! Owns the operation and its part inside the transaction. Does not own the operations on the value:
//! `model` applies them.

use model::{
    IndexingDirective, ItemTimeToLive, Json, MeasuredJson, Patch, PatchOperation, PropertyPath,
};

use super::input::{check_size_and_depth, item_key};
use super::patch_condition::PatchCondition;
use super::replace::{check_precondition, not_found};
use super::write::{ItemWrite, ItemWriteResult};
use crate::charge::refused_write;
use crate::container::CompiledProperties;
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
        if !options.triggers.is_empty() {
            let message = "Triggers do not run with a patch. Replace the item instead.";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let key = item_key(&container.identity, &partition_key, &id).map_err(refused_write)?;
        let target = key.clone();
        let bytes = patch_bytes(&patch, self.core.settings.large_item_bytes);
        // Parsed before the queue: a syntax error must not take a turn of the writer, and a second run must not parse
        // again.
        let condition = PatchCondition::read(&patch, 1)?;
        let patch = if self.is_large(bytes) {
            let engine = self.clone();
            self.run_long(move || engine.stored_patch(patch)).await?
        } else {
            self.stored_patch(patch)
        };
        let write = ItemWrite::Patch { key, patch, bytes, condition, options };
        Ok(self.write_item(&container, OperationKind::Patch, &target, write).await?.0)
    }
}

/// Bytes of the values of a patch, counted up to a limit, because whoever asks must not visit a million of them.
pub(super) fn patch_bytes(patch: &Patch, bytes_max: usize) -> usize {
    let mut bytes = 0;
    for operation in patch.operations() {
        if let PatchOperation::Add { value, .. }
        | PatchOperation::Set { value, .. }
        | PatchOperation::Replace { value, .. } = operation
        {
            count_bytes(value, bytes_max, &mut bytes);
        }
    }
    bytes
}

fn count_bytes(value: &Json, bytes_max: usize, bytes: &mut usize) {
    // At least one byte and a separator.
    *bytes += 2;
    if *bytes >= bytes_max {
        return;
    }
    match value {
        Json::String(text) => *bytes += text.len(),
        Json::Array(elements) => {
            for element in elements {
                if *bytes >= bytes_max {
                    return;
                }
                count_bytes(element, bytes_max, bytes);
            }
        }
        Json::Object(object) => {
            for (name, value) in object.iter() {
                if *bytes >= bytes_max {
                    return;
                }
                *bytes += name.len();
                count_bytes(value, bytes_max, bytes);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

/// Patches inside a transaction.
pub(crate) async fn patch(
    transaction: &mut ItemTransaction<'_>,
    key: &ItemKey,
    (patch, patch_bytes): (&Patch, usize),
    condition: Option<&PatchCondition>,
    options: &WriteOptions,
) -> std::result::Result<ItemWriteResult, Abort> {
    let Some(current) = transaction.current(key).await? else {
        return Err(Abort::Failed(not_found(key.id())));
    };
    // Before parsing the stored item: an etag that does not match is the cheap answer.
    check_precondition(options.precondition.as_ref(), &current)?;
    let patch_operations = patch.operations().len();
    if transaction.is_prepared() {
        let item = transaction.put_prepared(key, key, Some(&current)).await?;
        return Ok(ItemWriteResult::Written { item, patch_operations });
    }
    transaction.spend(key, current.body_len() + patch_bytes)?;
    // Parsed anew in each run: a run that was deferred has changed its copy, not the stored item.
    let mut item = current.parse()?;
    if let Some(condition) = condition {
        condition.check(key, &item, transaction.context.now)?;
    }
    let paths = transaction.context.container.definition.paths();
    let PatchedItem { bytes, time_to_live } = apply(patch, &mut item, paths)?;
    let indexed = is_indexed(transaction.context.compiled, options, current.header.indexed);
    let (placement, explain) = (Placement::InPlace, options.explain_charge);
    let change = ItemChange { item: &mut item, bytes, placement, time_to_live, indexed, explain };
    let item = transaction.put(key, key, Some(&current), change).await?;
    Ok(ItemWriteResult::Written { item, patch_operations })
}

/// What is known of an item after its patch.
pub(super) struct PatchedItem {
    /// Bytes of its text without system properties.
    pub(super) bytes: usize,
    pub(super) time_to_live: Option<ItemTimeToLive>,
}

/// Applies a patch to an item and checks the result.
pub(super) fn apply(
    patch: &Patch,
    item: &mut Json,
    key_paths: &[PropertyPath],
) -> Result<PatchedItem> {
    let Json::Object(object) = &mut *item else {
        return Err(Error::corrupt("a stored item is not an object"));
    };
    patch.apply(object, key_paths)?;
    let bytes = check_patched(item)?;
    Ok(PatchedItem { bytes, time_to_live: ItemTimeToLive::from_item(item)? })
}

/// Whether an item is indexed after its patch.
pub(super) fn is_indexed(
    compiled: &CompiledProperties,
    options: &WriteOptions,
    was_indexed: bool,
) -> bool {
    match options.indexing {
        // A patch without a directive keeps the item as it was written; the other directives decide anew.
        IndexingDirective::Default => was_indexed,
        directive => compiled.indexes(directive),
    }
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
