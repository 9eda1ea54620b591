//! Transactional batches on the engine.

use engine::ContainerLink;
use engine::operation::{BatchOperation, TransactionalBatch, WriteOptions};
use engine::response::{
    BatchEffect, BatchOperationResult as EngineAnswer, BatchResult, ReadResult,
};
use model::PartitionKey;

use crate::answer::Etag;
use crate::call::{BatchStep, Body, Reply};
use crate::error::Result;
use crate::item::BatchAnswer;

use super::write::options;
use super::{Embedded, translate};

impl Embedded {
    pub(super) async fn batch(
        &self,
        container: &ContainerLink,
        partition_key: &PartitionKey,
        steps: &[BatchStep],
    ) -> Result<Reply> {
        let batch = TransactionalBatch {
            container: container.clone(),
            partition_key: partition_key.clone(),
            operations: steps.iter().map(operation).collect(),
        };
        let outcome = self.engine.transactional_batch(batch).await.map_err(translate)?;
        let mut failure = None;
        let reply = self.reply(outcome, |end| match end {
            BatchResult::Committed(answers) => {
                (Body::Batch(answers.into_iter().map(answer).collect()), None)
            }
            BatchResult::RolledBack { failed, error } => {
                failure = Some(translate(error).at_operation(failed));
                (Body::Nothing, None)
            }
        });
        failure.map_or(Ok(reply), Err)
    }
}

fn operation(step: &BatchStep) -> BatchOperation {
    match step.clone() {
        BatchStep::Create { item } => {
            BatchOperation::Create { item: item.into(), options: WriteOptions::default() }
        }
        BatchStep::Upsert { item, etag } => {
            BatchOperation::Upsert { item: item.into(), options: options(etag.as_ref()) }
        }
        BatchStep::Replace { id, item, etag } => {
            BatchOperation::Replace { id, item: item.into(), options: options(etag.as_ref()) }
        }
        BatchStep::Patch { id, patch, etag } => {
            BatchOperation::Patch { id, patch, options: options(etag.as_ref()) }
        }
        BatchStep::Delete { id, etag } => {
            BatchOperation::Delete { id, options: options(etag.as_ref()) }
        }
        BatchStep::Read { id } => BatchOperation::Read { id, precondition: None },
    }
}

fn answer(answer: EngineAnswer) -> BatchAnswer {
    let charge = answer.charge.as_f64();
    match answer.effect {
        BatchEffect::Created(item)
        | BatchEffect::Replaced(item)
        | BatchEffect::Read(ReadResult::Found(item)) => {
            let etag = Some(Etag::embedded(item.etag()));
            BatchAnswer::new(Some(item.into_text()), etag, charge)
        }
        BatchEffect::Deleted => BatchAnswer::new(None, None, charge),
        BatchEffect::Read(ReadResult::NotModified(etag)) => {
            BatchAnswer::new(None, Some(Etag::embedded(etag)), charge)
        }
    }
}
