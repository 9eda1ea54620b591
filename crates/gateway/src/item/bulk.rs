//! Bulk requests: many independent operations in one request.
//!
//! Owns running them, concurrently if their order does not matter, and what happens after a failure. Does not own their
//! format, which is that of a batch.

use std::collections::HashSet;

use engine::operation::{
    BatchOperation, CreateItem, DeleteItem, PatchItem, ReadItem, ReadOptions, ReplaceItem,
    UpsertItem,
};
use engine::response::{BatchEffect, UpsertResult};
use engine::{ContainerAddress, ContainerLink, Engine, Response as EngineResponse};
use hyper::StatusCode;
use model::{Json, PartitionKey, SessionToken};

use super::batch::batch_response;
use super::operation_request::BatchRequestEntry;
use super::operation_response::BatchResponseEntry;
use crate::feed_range::parse_feed_range;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, header};

pub(super) async fn run_bulk(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
    operations: Vec<ApiResult<BatchRequestEntry>>,
) -> ApiResult<ApiResponse> {
    let default_key = request.partition_key()?;
    // If the named range is gone, the whole request fails: the client reads the ranges again and sends all of it anew.
    parse_feed_range(engine, request, address).await?;
    let is_minimal = request.wants_minimal();
    let prepared = |entry| prepare(entry, default_key.as_ref(), is_minimal);
    let operations = operations.into_iter().map(prepared);
    let operations: Vec<ApiResult<BulkOperation>> = operations.collect();
    let continue_on_error = request.flag(&header::BATCH_CONTINUE);
    // Concurrent operations must be independent in both ways: no two of the same item, and none that a failure stops.
    let results = match continue_on_error && all_distinct(&operations) {
        true => run_concurrently(engine, address, operations).await,
        false => run_in_order(engine, address, operations, continue_on_error).await,
    };
    let mut session_token = SessionToken::default();
    let mut entries: Vec<BatchResponseEntry> = Vec::with_capacity(results.len());
    for result in results {
        entries.push(match result {
            Ok(Some(result)) => {
                session_token = session_token.merge(&result.session_token);
                result.entry
            }
            Ok(None) => BatchResponseEntry::failed_dependency(None),
            Err(error) => BatchResponseEntry::from_error(&error),
        });
    }
    let status = match entries.iter().any(BatchResponseEntry::is_error) {
        true => StatusCode::MULTI_STATUS,
        false => StatusCode::OK,
    };
    // Failed operations are charged too; operations that did not start are not.
    let charge = entries.iter().map(BatchResponseEntry::charge).sum();
    Ok(batch_response(status, &entries, charge, address)
        .single_term_explanation(engine, request, "bulk", charge)
        .session_token(Some(&session_token)))
}

/// An operation with its partition key.
#[derive(Debug)]
struct BulkOperation {
    partition_key: PartitionKey,
    operation: BatchOperation,
    wants_minimal: bool,
}

/// The result of a successful operation.
#[derive(Debug)]
struct BulkResult {
    entry: BatchResponseEntry,
    session_token: SessionToken,
}

/// The result of each operation, or `None` for one that did not start because an earlier one failed.
type BulkResults = Vec<ApiResult<Option<BulkResult>>>;

fn prepare(
    entry: ApiResult<BatchRequestEntry>,
    default_key: Option<&PartitionKey>,
    request_is_minimal: bool,
) -> ApiResult<BulkOperation> {
    let entry = entry?;
    let wants_minimal = entry.is_minimal(request_is_minimal);
    let BatchRequestEntry { operation, partition_key, .. } = entry;
    // `[]` is how one client writes that the item has no key: that of the request applies.
    let partition_key = partition_key.filter(|key| !key.components().is_empty());
    let partition_key = partition_key.or_else(|| default_key.cloned()).ok_or_else(|| {
        let message = "An operation of a bulk request needs a 'partitionKey'.";
        ApiError::bad_request(message).with_sub_status(1001)
    })?;
    Ok(BulkOperation { partition_key, operation, wants_minimal })
}

/// Whether no two operations concern the same item, so that their order does not matter.
fn all_distinct(operations: &[ApiResult<BulkOperation>]) -> bool {
    let mut seen = HashSet::new();
    operations.iter().flatten().all(|bulk| {
        let id = match &bulk.operation {
            BatchOperation::Create { item, .. } | BatchOperation::Upsert { item, .. } => {
                item.value().get("id").and_then(Json::as_str).unwrap_or_default()
            }
            BatchOperation::Replace { id, .. }
            | BatchOperation::Patch { id, .. }
            | BatchOperation::Delete { id, .. }
            | BatchOperation::Read { id, .. } => id.as_str(),
        };
        // By text: partition keys have no hash, and `[1]` and `[1.0]` print alike.
        seen.insert((bulk.partition_key.to_json().to_string(), id.to_owned()))
    })
}

/// Runs operations concurrently, so that their writes share the syncs of the disk.
async fn run_concurrently(
    engine: &Engine,
    address: &ContainerAddress,
    operations: Vec<ApiResult<BulkOperation>>,
) -> BulkResults {
    let mut tasks = Vec::with_capacity(operations.len());
    for operation in operations {
        let (engine, container) = (engine.clone(), address.link.clone());
        // All are started before the first is awaited.
        tasks.push(operation.map(|operation| {
            tokio::spawn(async move { run_one(&engine, container, operation).await })
        }));
    }
    let mut results = Vec::with_capacity(tasks.len());
    for task in tasks {
        results.push(match task {
            Err(error) => Err(error),
            Ok(task) => match task.await {
                Ok(result) => result.map(Some),
                // A panic of one operation fails the request, as it would without the task.
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            },
        });
    }
    results
}

async fn run_in_order(
    engine: &Engine,
    address: &ContainerAddress,
    operations: Vec<ApiResult<BulkOperation>>,
    continue_on_error: bool,
) -> BulkResults {
    let mut results: BulkResults = Vec::with_capacity(operations.len());
    let mut is_stopped = false;
    for operation in operations {
        if is_stopped {
            results.push(Ok(None));
            continue;
        }
        let result = match operation {
            Ok(operation) => run_one(engine, address.link.clone(), operation).await.map(Some),
            Err(error) => Err(error),
        };
        is_stopped = result.is_err() && !continue_on_error;
        results.push(result);
    }
    results
}

async fn run_one(
    engine: &Engine,
    container: ContainerLink,
    bulk: BulkOperation,
) -> ApiResult<BulkResult> {
    let result = execute(engine, container, bulk.partition_key, bulk.operation).await?;
    let entry = BatchResponseEntry::from_effect(result.value, result.charge);
    let entry = if bulk.wants_minimal { entry.without_body() } else { entry };
    Ok(BulkResult { entry, session_token: result.session_token.unwrap_or_default() })
}

async fn execute(
    engine: &Engine,
    container: ContainerLink,
    partition_key: PartitionKey,
    operation: BatchOperation,
) -> ApiResult<EngineResponse<BatchEffect>> {
    let some_key = Some(partition_key.clone());
    Ok(match operation {
        BatchOperation::Create { item, options } => engine
            .create_item(CreateItem { container, partition_key: some_key, item, options })
            .await?
            .map(BatchEffect::Created),
        BatchOperation::Upsert { item, options } => engine
            .upsert_item(UpsertItem { container, partition_key: some_key, item, options })
            .await?
            .map(|upserted| match upserted {
                UpsertResult::Created(item) => BatchEffect::Created(item),
                UpsertResult::Replaced(item) => BatchEffect::Replaced(item),
            }),
        BatchOperation::Replace { id, item, options } => engine
            .replace_item(ReplaceItem { container, partition_key: some_key, id, item, options })
            .await?
            .map(BatchEffect::Replaced),
        BatchOperation::Patch { id, patch, options } => engine
            .patch_item(PatchItem { container, partition_key, id, patch, options })
            .await?
            .map(BatchEffect::Replaced),
        BatchOperation::Delete { id, options } => engine
            .delete_item(DeleteItem { container, partition_key, id, options })
            .await?
            .map(|_| BatchEffect::Deleted),
        BatchOperation::Read { id, precondition } => {
            let options = ReadOptions { precondition, ..ReadOptions::default() };
            let read = ReadItem { container, partition_key, id, options };
            engine.read_item(read).await?.map(BatchEffect::Read)
        }
    })
}
