//! Transactional batch: several operations of one logical partition, all or nothing, one lsn.
//!
//! Owns the limits of a batch and its results. Its operations are the same functions that run alone.

use std::sync::Arc;

use model::charge::{ChargeExplanation, ChargeTerm, TermDetail};
use model::limits::{ITEM_BYTES_MAX, TRANSACTIONAL_BATCH_OPERATIONS_MAX};
use model::{EffectivePartitionKey, Lsn, PartitionKey, RequestCharge, SessionToken};

use super::input::{self, check_partition_key, item_key, logical_partition};
use super::patch::patch_bytes;
use super::patch_condition::PatchCondition;
use super::read::lsn_in_batch;
use super::replace::renamed_from;
use super::submit::{locate, point_response};
use super::write::{BatchWrite, ItemWrite, ItemWriteResult};
use crate::catalog::ContainerEntry;
use crate::charge;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::metering::{Amount, OperationKind};
use crate::operation::{BatchOperation, ContainerLink, TransactionalBatch, WriteOptions};
use crate::response::{
    BatchEffect, BatchOperationResult, BatchResult, ItemResource, ReadResult, Response,
};
use crate::session;
use crate::throughput::Admission;

/// The writes of a batch and the bytes of their items, or the index of an operation that is invalid.
type ValidatedBatch = std::result::Result<(Vec<ItemWrite>, usize), (usize, Error)>;

impl Engine {
    /// Runs a transactional batch. An operation that fails rolls everything back; the result contains its index.
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
    /// use planisphere_engine::response::BatchResult;
    ///
    /// let item = order(r#"{"id":"2","customer":"ann"}"#)?;
    /// let options = WriteOptions::default;
    /// let batch = TransactionalBatch {
    ///     container: orders,
    ///     partition_key: ann,
    ///     operations: vec![
    ///         BatchOperation::Create { item, options: options() },
    ///         BatchOperation::Delete { id, options: options() },
    ///     ],
    /// };
    /// let outcome = engine.transactional_batch(batch).await?.value;
    /// assert!(matches!(outcome, BatchResult::Committed(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Invalid` for no or too many operations, `TooLarge` beyond 2 MB, `OwnerNotFound` without container.
    pub async fn transactional_batch(
        &self,
        operation: TransactionalBatch,
    ) -> Result<Response<BatchResult>> {
        let container = self.container(&operation.container)?;
        check_partition_key(&container.identity, &operation.partition_key)?;
        // Checked before admission: a batch that can never run must not be throttled first.
        check_count(operation.operations.len())?;
        check_triggers(&operation.operations)?;
        let target = logical_partition(&container.identity, &operation.partition_key);
        let epk = container.identity.definition.effective(&operation.partition_key);
        let partition = locate(&container, &epk)?;
        let request = self.metered(OperationKind::Batch);
        let (throughput, logical) = (&container.throughput, Some(target.partition_ref()));
        let admission = Admission::new(throughput, &partition.throughput, request, logical)?;
        let batch = self.run_batch(&container, &epk, operation).await;
        admission.finish(batch, batch_amount)
    }

    /// Refuses a session token that is ahead of the physical partition of a key. A batch checks it before it writes.
    ///
    /// # Errors
    /// `SessionNotAvailable` if the partition has not reached the token, `OwnerNotFound` without container.
    pub fn check_session(
        &self,
        link: &ContainerLink,
        partition_key: &PartitionKey,
        token: Option<&SessionToken>,
    ) -> Result<()> {
        let container = self.container(link)?;
        let epk = container.identity.definition.effective(partition_key);
        session::check(token, &*locate(&container, &epk)?)
    }

    async fn run_batch(
        &self,
        container: &Arc<ContainerEntry>,
        epk: &EffectivePartitionKey,
        operation: TransactionalBatch,
    ) -> Result<Response<BatchResult>> {
        let (writes, bytes) = match self.validated(container, operation).await? {
            Ok(validated) => validated,
            // Nothing was submitted, but the client expects a result per operation, as if it had been rolled back.
            Err(failed) => return self.rolled_back(container, epk, failed, Vec::new()),
        };
        check_bytes(bytes)?;
        match self.submit(container, epk, BatchWrite { writes, prepared: None }).await {
            Ok(committed) => {
                let results = committed.response.into_iter();
                let answers: Vec<_> =
                    results.map(|result| self.batch_answer(result, committed.lsn)).collect();
                let explanation = self.explain_batch(&answers);
                let charge = answers.iter().map(|answer| answer.charge).sum();
                self.sample_batch(container, committed.transaction.writes, &answers);
                let value = BatchResult::Committed(answers);
                let response = point_response(value, charge, committed.partition, committed.lsn);
                Ok(Response { explanation, ..response })
            }
            // After a failed store nobody knows whether the batch was written, so it must not be reported as rolled
            // back.
            Err(failure) => match failure.index {
                Some(index) if !is_batch_error(failure.error.kind()) => {
                    self.rolled_back(container, epk, (index, failure.error), failure.before)
                }
                _ => Err(failure.error),
            },
        }
    }

    /// Validates the operations; on a thread if they are large. The error has the index of the operation.
    async fn validated(
        &self,
        container: &Arc<ContainerEntry>,
        batch: TransactionalBatch,
    ) -> Result<ValidatedBatch> {
        let bytes_max = self.core.settings.large_item_bytes;
        let bytes = batch.operations.iter().map(|each| operation_bytes(each, bytes_max)).sum();
        let (engine, container) = (self.clone(), Arc::clone(container));
        let validate = move || engine.validate_all(&container, batch);
        if self.is_large(bytes) { self.run_long(validate).await } else { Ok(validate()) }
    }

    fn validate_all(
        &self,
        container: &ContainerEntry,
        batch: TransactionalBatch,
    ) -> ValidatedBatch {
        let has_condition = |each: &&BatchOperation| match each {
            BatchOperation::Patch { patch, .. } => patch.condition().is_some(),
            _ => false,
        };
        // All conditions together have the work of one slice inside the writer.
        let conditions = batch.operations.iter().filter(has_condition).count().max(2);
        let mut writes = Vec::with_capacity(batch.operations.len());
        let mut bytes = 0;
        let bytes_max = self.core.settings.large_item_bytes;
        for (index, each) in batch.operations.into_iter().enumerate() {
            let each = self.stored_operation(each);
            let limits = (conditions, bytes_max);
            let (write, write_bytes) = validate(container, &batch.partition_key, each, limits)
                .map_err(|error| (index, error))?;
            bytes += write_bytes;
            writes.push(write);
        }
        Ok((writes, bytes))
    }

    /// The operation whose items are as they are stored.
    fn stored_operation(&self, operation: BatchOperation) -> BatchOperation {
        match operation {
            BatchOperation::Create { item, options } => {
                BatchOperation::Create { item: self.stored_form(item), options }
            }
            BatchOperation::Upsert { item, options } => {
                BatchOperation::Upsert { item: self.stored_form(item), options }
            }
            BatchOperation::Replace { id, item, options } => {
                BatchOperation::Replace { id, item: self.stored_form(item), options }
            }
            BatchOperation::Patch { id, patch, options } => {
                BatchOperation::Patch { id, patch: self.stored_patch(patch), options }
            }
            other @ (BatchOperation::Delete { .. } | BatchOperation::Read { .. }) => other,
        }
    }

    fn rolled_back(
        &self,
        container: &Arc<ContainerEntry>,
        epk: &EffectivePartitionKey,
        (failed, error): (usize, Error),
        before: Vec<ItemWriteResult>,
    ) -> Result<Response<BatchResult>> {
        let partition = locate(container, epk)?;
        let lsn = partition.published.lsn();
        let answers = before.into_iter().map(|result| self.batch_answer(result, lsn));
        let charges: Vec<_> = answers.map(|answer| answer.charge).collect();
        let charge = charges.iter().copied().sum::<RequestCharge>() + charge::failed_write();
        let error = error.with_charge(charge::failed_write());
        let value = BatchResult::RolledBack { failed, error, charges };
        Ok(point_response(value, charge, partition.identity.number, lsn))
    }

    fn batch_answer(&self, result: ItemWriteResult, lsn: Lsn) -> BatchOperationResult {
        let level = self.core.settings.consistency;
        match result {
            ItemWriteResult::Written { item: written, patch_operations } => {
                let charge = self.charges().write_charge(&written.cost, patch_operations);
                let explanation = self.charges().explain_write(&written.cost, patch_operations);
                let created = written.cost.created;
                let item = ItemResource::from_record(written.record, lsn);
                let effect =
                    if created { BatchEffect::Created(item) } else { BatchEffect::Replaced(item) };
                BatchOperationResult { effect, charge, explanation }
            }
            ItemWriteResult::Deleted { old, index } => BatchOperationResult {
                effect: BatchEffect::Deleted,
                charge: charge::delete(old),
                explanation: index.map(|index| self.charges().explain_delete(old, &index)),
            },
            ItemWriteResult::Found(record) => {
                let charge = charge::point_read(record.own_bytes(), level);
                // An item that this batch has written before reading it has no lsn in its record yet.
                let lsn = lsn_in_batch(&record, lsn);
                let effect =
                    BatchEffect::Read(ReadResult::Found(ItemResource::from_record(record, lsn)));
                BatchOperationResult { effect, charge, explanation: None }
            }
            ItemWriteResult::NotModified(record) => {
                let effect = BatchEffect::Read(ReadResult::NotModified(record.header.etag));
                BatchOperationResult {
                    effect,
                    charge: charge::nothing_found(level),
                    explanation: None,
                }
            }
        }
    }

    /// The charge terms of all operations, if one of them asks for an explanation.
    fn explain_batch(&self, answers: &[BatchOperationResult]) -> Option<Box<ChargeExplanation>> {
        answers.iter().find_map(|answer| answer.explanation.as_ref())?;
        let mut whole = self.charges().explained("batch", Vec::new());
        for answer in answers {
            match &answer.explanation {
                Some(explanation) => whole.add(ChargeExplanation::clone(explanation)),
                None => whole.terms.push(ChargeTerm::new("read", TermDetail::None, answer.charge)),
            }
        }
        Some(whole)
    }
}

/// Items a batch has written or read.
fn batch_amount(response: &BatchResult) -> Amount {
    let BatchResult::Committed(answers) = response else { return Amount::default() };
    let bytes = answers.iter().map(|answer| match &answer.effect {
        BatchEffect::Created(item)
        | BatchEffect::Replaced(item)
        | BatchEffect::Read(ReadResult::Found(item)) => item.text().len(),
        BatchEffect::Deleted | BatchEffect::Read(ReadResult::NotModified(_)) => 0,
    });
    Amount { items: answers.len(), bytes: bytes.sum() }
}

/// Whether an error concerns the batch as a whole and no single operation.
fn is_batch_error(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Unavailable | ErrorKind::OwnerNotFound | ErrorKind::Corrupt)
}

/// Bytes of an operation, up to a limit.
fn operation_bytes(operation: &BatchOperation, bytes_max: usize) -> usize {
    match operation {
        BatchOperation::Create { item, .. }
        | BatchOperation::Upsert { item, .. }
        | BatchOperation::Replace { item, .. } => item.printed_bytes(),
        BatchOperation::Patch { patch, .. } => patch_bytes(patch, bytes_max),
        BatchOperation::Delete { .. } | BatchOperation::Read { .. } => 0,
    }
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

fn check_triggers(operations: &[BatchOperation]) -> Result<()> {
    let has_triggers = |operation: &BatchOperation| match operation {
        BatchOperation::Create { options, .. }
        | BatchOperation::Upsert { options, .. }
        | BatchOperation::Replace { options, .. }
        | BatchOperation::Patch { options, .. }
        | BatchOperation::Delete { options, .. } => !options.triggers.is_empty(),
        BatchOperation::Read { .. } => false,
    };
    if !operations.iter().any(has_triggers) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Unsupported,
        "Triggers do not run with a batch. Write the items alone.",
    ))
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

/// Validates one operation as if it ran alone.
fn validate(
    container: &ContainerEntry,
    partition_key: &PartitionKey,
    operation: BatchOperation,
    (conditions, patch_bytes_max): (usize, usize),
) -> Result<(ItemWrite, usize)> {
    let identity = &container.identity;
    let indexed = |options: &WriteOptions| container.compiled().indexes(options.indexing);
    let checked = |item| input::check(identity, Some(partition_key), item);
    let located = |id| item_key(identity, partition_key, id);
    Ok(match operation {
        BatchOperation::Create { item, options } => {
            let new = checked(item)?;
            let bytes = new.bytes;
            let (indexed, explain) = (indexed(&options), options.explain_charge);
            (ItemWrite::Create { new, indexed, explain }, bytes)
        }
        BatchOperation::Upsert { item, options } => {
            let new = checked(item)?;
            let (bytes, indexed) = (new.bytes, indexed(&options));
            let WriteOptions { precondition, explain_charge: explain, .. } = options;
            (ItemWrite::Upsert { new, precondition, indexed, explain }, bytes)
        }
        BatchOperation::Replace { id, item, options } => {
            let new = checked(item)?;
            let renamed_from = renamed_from(&id, &new);
            let (bytes, indexed) = (new.bytes, indexed(&options));
            let WriteOptions { precondition, explain_charge: explain, .. } = options;
            (ItemWrite::Replace { new, renamed_from, precondition, indexed, explain }, bytes)
        }
        BatchOperation::Patch { id, patch, options } => {
            let (key, condition) = (located(&id)?, PatchCondition::read(&patch, conditions)?);
            let bytes = patch_bytes(&patch, patch_bytes_max);
            (ItemWrite::Patch { key, patch, bytes, condition, options }, 0)
        }
        BatchOperation::Delete { id, options } => {
            let WriteOptions { precondition, explain_charge: explain, .. } = options;
            (ItemWrite::Delete { key: located(&id)?, precondition, explain }, 0)
        }
        BatchOperation::Read { id, precondition } => {
            (ItemWrite::Read { key: located(&id)?, precondition }, 0)
        }
    })
}
