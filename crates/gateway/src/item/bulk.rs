//! Bulk requests: many operations in one request, each for itself.
//!
//! Owns running them in their order, and what follows when one fails. Does not own their form, which is that of a
//! batch.

use engine::operation::{
    BatchOperation, CreateItem, DeleteItem, PatchItem, ReadItem, ReadOptions, ReplaceItem,
    UpsertItem,
};
use engine::outcome::{BatchEffect, Upserted};
use engine::{ContainerAddress, ContainerLink, Engine, Outcome as EngineOutcome};
use hyper::StatusCode;
use model::{PartitionKey, RequestCharge, SessionToken};

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
    let goes_on = request.flag(&header::BATCH_CONTINUE);
    let default_key = request.partition_key()?;
    // A range that is gone concerns each operation: the client asks for the ranges again and sends them anew.
    let gone = feed_range(engine, request, address).await.err();
    let mut session_token = SessionToken::default();
    let mut entries: Vec<Entry> = Vec::with_capacity(operations.len());
    for written in operations {
        if !goes_on && entries.last().is_some_and(Entry::is_failure) {
            entries.push(Entry::dependent());
            continue;
        }
        let outcome = match (&gone, written) {
            (Some(gone), _) => Err(gone.clone()),
            (None, Err(failure)) => Err(failure),
            (None, Ok(written)) => {
                let key = written.partition_key.clone().or_else(|| default_key.clone());
                one(engine, address, key, written, &mut session_token).await
            }
        };
        entries.push(outcome.unwrap_or_else(|failure| Entry::of_failure(&failure)));
    }
    let status = match entries.iter().any(Entry::is_failure) {
        true => StatusCode::MULTI_STATUS,
        false => StatusCode::OK,
    };
    let units = entries.iter().map(|entry| entry.charge().units()).sum();
    let charge = RequestCharge::from_units(units);
    Ok(reply(status, &entries, charge, address).session(Some(&session_token)))
}

async fn one(
    engine: &Engine,
    address: &ContainerAddress,
    partition_key: Option<PartitionKey>,
    written: Written,
    session_token: &mut SessionToken,
) -> Outcome<Entry> {
    let partition_key = partition_key.ok_or_else(|| {
        Failure::bad_request("An operation of a bulk request needs a 'partitionKey'.")
            .sub_status(1001)
    })?;
    let container = address.link.clone();
    let outcome = execute(engine, container, partition_key, written.operation).await?;
    if let Some(seen) = &outcome.session_token {
        *session_token = session_token.merge(seen);
    }
    let entry = Entry::of_effect(outcome.value, outcome.charge);
    Ok(if written.wants_minimal { entry.minimal() } else { entry })
}

async fn execute(
    engine: &Engine,
    container: ContainerLink,
    partition_key: PartitionKey,
    operation: BatchOperation,
) -> Outcome<EngineOutcome<BatchEffect>> {
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
                Upserted::Created(item) => BatchEffect::Created(item),
                Upserted::Replaced(item) => BatchEffect::Replaced(item),
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
