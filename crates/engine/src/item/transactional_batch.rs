//! Transactional batch: several operations of one logical partition, all or nothing, one lsn.
//!
//! Owns the limits of a batch and its answers. The operations are the same functions that run alone.

use std::sync::Arc;

use model::limits::{ITEM_BYTES_MAX, TRANSACTIONAL_BATCH_OPERATIONS_MAX};
use model::{EffectivePartitionKey, Lsn, RequestCharge};

use super::input::{self, check_partition_key, item_key, logical_partition};
use super::patch::read_condition;
use super::read::lsn_in_batch;
use super::replace::check_same_id;
use super::submit::{item_of, locate, outcome, unexpected, write_charge};
use crate::catalog::Container;
use crate::charge;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::operation::{BatchOperation, TransactionalBatch, WriteOptions};
use crate::outcome::{BatchAnswer, BatchEffect, BatchOutcome, Outcome, ReadAnswer};
use crate::partition::{ItemAnswer, ItemWrite, Work, WorkAnswer};
use crate::usage::{Amount, OperationKind, Visit};

impl Engine {
    /// Runs a transactional batch. An operation that fails rolls everything back and is named in the outcome.
    ///
    /// # Errors
    /// `Invalid` for no or too many operations, `TooLarge` beyond 2 MB, `OwnerNotFound` without container.
    pub async fn transactional_batch(
        &self,
        operation: TransactionalBatch,
    ) -> Result<Outcome<BatchOutcome>> {
        let container = self.container(&operation.container)?;
        check_partition_key(&container.identity, &operation.partition_key)?;
        check_count(operation.operations.len())?;
        let place = logical_partition(&container.identity, &operation.partition_key);
        let epk = container.identity.definition.effective(&operation.partition_key);
        let partition = locate(&container, &epk)?;
        let (kind, logical) = (OperationKind::Batch, Some(place.logical()));
        let visit = Visit::begin(&container, &partition, kind, self.now(), logical)?;
        let batch = self.run_batch(&container, &epk, operation).await;
        visit.end(batch, batch_amount)
    }

    async fn run_batch(
        &self,
        container: &Arc<Container>,
        epk: &EffectivePartitionKey,
        operation: TransactionalBatch,
    ) -> Result<Outcome<BatchOutcome>> {
        let mut writes = Vec::with_capacity(operation.operations.len());
        let mut bytes = 0;
        for (failed, each) in operation.operations.into_iter().enumerate() {
            match prepare(container, &operation.partition_key, each) {
                Ok((write, write_bytes)) => {
                    bytes += write_bytes;
                    writes.push(write);
                }
                Err(error) => return self.rolled_back(container, epk, failed, error),
            }
        }
        check_bytes(bytes)?;
        let objects: Vec<_> = writes.iter().map(ItemWrite::new_object).collect();
        match self.submit(container, epk, Work::Items(writes)).await {
            Ok(submitted) => {
                let WorkAnswer::Items(answers) = submitted.answer else { return Err(unexpected()) };
                let answers: Vec<_> =
                    answers.into_iter().map(|answer| batch_answer(answer, submitted.lsn)).collect();
                let charge = answers.iter().map(|answer| answer.charge).sum();
                self.look_at_batch(container, &objects, &answers);
                let value = BatchOutcome::Committed(answers);
                Ok(outcome(value, charge, submitted.partition, submitted.lsn))
            }
            Err(failure) if is_about_the_batch(failure.error.kind()) => Err(failure.error),
            Err(failure) => self.rolled_back(container, epk, failure.index, failure.error),
        }
    }

    fn rolled_back(
        &self,
        container: &Arc<Container>,
        epk: &EffectivePartitionKey,
        failed: usize,
        error: Error,
    ) -> Result<Outcome<BatchOutcome>> {
        let partition = locate(container, epk)?;
        let value = BatchOutcome::RolledBack { failed, error };
        let lsn = partition.published.lsn();
        Ok(outcome(value, charge::failed_write(), partition.identity.number, lsn))
    }
}

/// Items a batch has written or read.
fn batch_amount(outcome: &BatchOutcome) -> Amount {
    let BatchOutcome::Committed(answers) = outcome else { return Amount::default() };
    let bytes = answers.iter().map(|answer| match &answer.effect {
        BatchEffect::Created(item)
        | BatchEffect::Replaced(item)
        | BatchEffect::Read(ReadAnswer::Found(item)) => item.text().len(),
        BatchEffect::Deleted | BatchEffect::Read(ReadAnswer::NotModified(_)) => 0,
    });
    Amount { items: answers.len(), bytes: bytes.sum() }
}

/// Kinds that no single operation of the batch has caused.
fn is_about_the_batch(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Unavailable | ErrorKind::OwnerNotFound | ErrorKind::Corrupt)
}

fn check_count(operations: usize) -> Result<()> {
    match operations {
        0 => Err(Error::invalid("Batch request has no operations.")),
        1..=TRANSACTIONAL_BATCH_OPERATIONS_MAX => Ok(()),
        _ => Err(Error::invalid(format!(
            "Batch request has more operations than what is supported. It has {operations}, at most \
             {TRANSACTIONAL_BATCH_OPERATIONS_MAX} are allowed: send several batches."
        ))),
    }
}

fn check_bytes(bytes: usize) -> Result<()> {
    if bytes <= ITEM_BYTES_MAX {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::TooLarge,
        format!(
            "Request size is too large: the batch has {bytes} bytes, at most {ITEM_BYTES_MAX} are allowed. \
             Send several batches."
        ),
    ))
}

/// Checks one operation as it would be checked alone.
fn prepare(
    container: &Container,
    partition_key: &model::PartitionKey,
    operation: BatchOperation,
) -> Result<(ItemWrite, usize)> {
    let identity = &container.identity;
    let indexed = |options: &WriteOptions| container.live().indexes(options.indexing);
    let checked = |item| input::check(identity, Some(partition_key), item);
    let located = |id| item_key(identity, partition_key, id);
    Ok(match operation {
        BatchOperation::Create { item, options } => {
            let new = checked(item)?;
            let bytes = new.bytes;
            (ItemWrite::Create { new, indexed: indexed(&options) }, bytes)
        }
        BatchOperation::Upsert { item, options } => {
            let new = checked(item)?;
            let (bytes, indexed) = (new.bytes, indexed(&options));
            (ItemWrite::Upsert { new, precondition: options.precondition, indexed }, bytes)
        }
        BatchOperation::Replace { id, item, options } => {
            let new = checked(item)?;
            check_same_id(id.as_str(), &new)?;
            let (bytes, indexed) = (new.bytes, indexed(&options));
            (ItemWrite::Replace { new, precondition: options.precondition, indexed }, bytes)
        }
        BatchOperation::Patch { id, patch, options } => {
            let WriteOptions { precondition, indexing } = options;
            let (key, condition) = (located(&id)?, read_condition(&patch)?);
            (ItemWrite::Patch { key, patch, condition, precondition, indexing }, 0)
        }
        BatchOperation::Delete { id, options } => {
            (ItemWrite::Delete { key: located(&id)?, precondition: options.precondition }, 0)
        }
        BatchOperation::Read { id, precondition } => {
            (ItemWrite::Read { key: located(&id)?, precondition }, 0)
        }
    })
}

fn batch_answer(answer: ItemAnswer, lsn: Lsn) -> BatchAnswer {
    let (effect, charge): (BatchEffect, RequestCharge) = match answer {
        ItemAnswer::Written { written, patch_operations } => {
            let charge = write_charge(&written, patch_operations);
            let item = item_of(written.record, lsn);
            let created = written.created;
            (if created { BatchEffect::Created(item) } else { BatchEffect::Replaced(item) }, charge)
        }
        ItemAnswer::Deleted { old } => (BatchEffect::Deleted, charge::delete(old)),
        ItemAnswer::Found(record) => {
            let charge = charge::read(record.body_len());
            let lsn = lsn_in_batch(&record, lsn);
            let item = item_of(record, lsn);
            (BatchEffect::Read(ReadAnswer::Found(item)), charge)
        }
        ItemAnswer::NotModified(record) => {
            let answer = ReadAnswer::NotModified(record.header.etag);
            (BatchEffect::Read(answer), charge::nothing_found())
        }
    };
    BatchAnswer { effect, charge }
}
