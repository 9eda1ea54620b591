//! Bulk requests: many operations in one request, each for itself.
//!
//! Owns running them, side by side when their order says nothing, and what follows when one fails. Does not own their
//! form, which is that of a batch.

use std::collections::HashSet;

use engine::operation::{
    BatchOperation, CreateItem, DeleteItem, PatchItem, ReadItem, ReadOptions, ReplaceItem,
    UpsertItem,
};
use engine::response::{BatchEffect, UpsertResult};
use engine::{ContainerAddress, ContainerLink, Engine, Response as EngineResponse};
use hyper::StatusCode;
use model::{Json, PartitionKey, SessionToken};

use super::batch::reply;
use super::operation_text::Written;
use super::result_text::Entry;
use crate::exchange::{Failure, Outcome, Reply, Request, header};
use crate::resource::partition_key_range::feed_range;

pub(crate) async fn run(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
    operations: Vec<Outcome<Written>>,
) -> Outcome<Reply> {
    let default_key = request.partition_key()?;
    // A range that is gone concerns the request: the client asks for the ranges again and sends all of it anew.
    feed_range(engine, request, address).await?;
    let steps = operations.into_iter().map(|written| step(written, default_key.as_ref()));
    let steps: Vec<Outcome<Step>> = steps.collect();
    let goes_on = request.flag(&header::BATCH_CONTINUE);
    let results = match goes_on && are_apart(&steps) {
        true => all_at_once(engine, address, steps).await,
        false => one_by_one(engine, address, steps, goes_on).await,
    };
    let mut session_token = SessionToken::default();
    let mut entries: Vec<Entry> = Vec::with_capacity(results.len());
    for result in results {
        entries.push(match result {
            Ok(Some(done)) => {
                session_token = session_token.merge(&done.session_token);
                done.entry
            }
            Ok(None) => Entry::dependent(),
            Err(failure) => Entry::of_failure(&failure),
        });
    }
    let status = match entries.iter().any(Entry::is_failure) {
        true => StatusCode::MULTI_STATUS,
        false => StatusCode::OK,
    };
    let charge = entries.iter().map(Entry::charge).sum();
    Ok(reply(status, &entries, charge, address)
        .explained_as_whole(engine, request, "bulk", charge)
        .session(Some(&session_token)))
}

/// An operation that is ready to run.
#[derive(Debug)]
struct Step {
    partition_key: PartitionKey,
    operation: BatchOperation,
    wants_minimal: bool,
}

/// What an operation left.
#[derive(Debug)]
struct Done {
    entry: Entry,
    session_token: SessionToken,
}

/// The result of each operation; none for one that was not begun because another failed before it.
type Results = Vec<Outcome<Option<Done>>>;

fn step(written: Outcome<Written>, default_key: Option<&PartitionKey>) -> Outcome<Step> {
    let Written { operation, partition_key, wants_minimal } = written?;
    let partition_key = partition_key.or_else(|| default_key.cloned()).ok_or_else(|| {
        let message = "An operation of a bulk request needs a 'partitionKey'.";
        Failure::bad_request(message).sub_status(1001)
    })?;
    Ok(Step { partition_key, operation, wants_minimal })
}

/// Whether no two operations concern the same item, so that their order says nothing.
fn are_apart(steps: &[Outcome<Step>]) -> bool {
    let mut seen = HashSet::new();
    steps.iter().flatten().all(|step| {
        let id = match &step.operation {
            BatchOperation::Create { item, .. } | BatchOperation::Upsert { item, .. } => {
                item.value().get("id").and_then(Json::as_str).unwrap_or_default()
            }
            BatchOperation::Replace { id, .. }
            | BatchOperation::Patch { id, .. }
            | BatchOperation::Delete { id, .. }
            | BatchOperation::Read { id, .. } => id.as_str(),
        };
        seen.insert((step.partition_key.to_json().to_string(), id.to_owned()))
    })
}

/// Operations side by side share the syncs of the disk.
async fn all_at_once(
    engine: &Engine,
    address: &ContainerAddress,
    steps: Vec<Outcome<Step>>,
) -> Results {
    let mut running = Vec::with_capacity(steps.len());
    for step in steps {
        let (engine, container) = (engine.clone(), address.link.clone());
        running.push(
            step.map(|step| tokio::spawn(async move { one(&engine, container, step).await })),
        );
    }
    let mut results = Vec::with_capacity(running.len());
    for task in running {
        results.push(match task {
            Err(failure) => Err(failure),
            Ok(task) => match task.await {
                Ok(result) => result.map(Some),
                // The panic of one operation is that of the request.
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            },
        });
    }
    results
}

async fn one_by_one(
    engine: &Engine,
    address: &ContainerAddress,
    steps: Vec<Outcome<Step>>,
    goes_on: bool,
) -> Results {
    let mut results: Results = Vec::with_capacity(steps.len());
    let mut is_stopped = false;
    for step in steps {
        if is_stopped {
            results.push(Ok(None));
            continue;
        }
        let result = match step {
            Ok(step) => one(engine, address.link.clone(), step).await.map(Some),
            Err(failure) => Err(failure),
        };
        is_stopped = result.is_err() && !goes_on;
        results.push(result);
    }
    results
}

async fn one(engine: &Engine, container: ContainerLink, step: Step) -> Outcome<Done> {
    let outcome = execute(engine, container, step.partition_key, step.operation).await?;
    let entry = Entry::of_effect(outcome.value, outcome.charge);
    let entry = if step.wants_minimal { entry.minimal() } else { entry };
    Ok(Done { entry, session_token: outcome.session_token.unwrap_or_default() })
}

async fn execute(
    engine: &Engine,
    container: ContainerLink,
    partition_key: PartitionKey,
    operation: BatchOperation,
) -> Outcome<EngineResponse<BatchEffect>> {
    let given = Some(partition_key.clone());
    Ok(match operation {
        BatchOperation::Create { item, options } => engine
            .create_item(CreateItem { container, partition_key: given, item, options })
            .await?
            .map(BatchEffect::Created),
        BatchOperation::Upsert { item, options } => engine
            .upsert_item(UpsertItem { container, partition_key: given, item, options })
            .await?
            .map(|upserted| match upserted {
                UpsertResult::Created(item) => BatchEffect::Created(item),
                UpsertResult::Replaced(item) => BatchEffect::Replaced(item),
            }),
        BatchOperation::Replace { id, item, options } => engine
            .replace_item(ReplaceItem { container, partition_key: given, id, item, options })
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
