//! Transactional batches on the engine.

use engine::ContainerLink;
use engine::operation::{BatchOperation, TransactionalBatch, WriteOptions};
use engine::response::{BatchEffect, BatchOperationResult, BatchResult, ReadResult};
use model::PartitionKey;

use crate::error::Result;
use crate::item::{BatchItemOperation, BatchItemResult};
use crate::request::{BackendResponse, ResponseBody};
use crate::response::EntityTag;

use super::write::options;
use super::{EmbeddedBackend, translate};

impl EmbeddedBackend {
    pub(super) async fn batch(
        &self,
        container: &ContainerLink,
        partition_key: PartitionKey,
        entries: Vec<BatchItemOperation>,
    ) -> Result<BackendResponse> {
        let batch = TransactionalBatch {
            container: container.clone(),
            partition_key,
            operations: entries.into_iter().map(operation).collect(),
        };
        let outcome = self.engine.transactional_batch(batch).await.map_err(translate)?;
        let mut failure = None;
        let response = self.response(outcome, |outcome| match outcome {
            BatchResult::Committed(results) => {
                (ResponseBody::Batch(results.into_iter().map(batch_result).collect()), None)
            }
            BatchResult::RolledBack { failed, error, .. } => {
                // Taken out of the closure, which can only return a body.
                failure = Some(translate(error).at_operation(failed));
                (ResponseBody::Nothing, None)
            }
        });
        failure.map_or(Ok(response), Err)
    }
}

fn operation(entry: BatchItemOperation) -> BatchOperation {
    match entry {
        BatchItemOperation::Create { item } => {
            BatchOperation::Create { item: item.into(), options: WriteOptions::default() }
        }
        BatchItemOperation::Upsert { item, etag } => {
            BatchOperation::Upsert { item: item.into(), options: options(etag.as_ref()) }
        }
        BatchItemOperation::Replace { id, item, etag } => {
            BatchOperation::Replace { id, item: item.into(), options: options(etag.as_ref()) }
        }
        BatchItemOperation::Patch { id, patch, etag } => {
            BatchOperation::Patch { id, patch, options: options(etag.as_ref()) }
        }
        BatchItemOperation::Delete { id, etag } => {
            BatchOperation::Delete { id, options: options(etag.as_ref()) }
        }
        BatchItemOperation::Read { id } => BatchOperation::Read { id, precondition: None },
    }
}

fn batch_result(result: BatchOperationResult) -> BatchItemResult {
    let charge = result.charge.as_f64();
    match result.effect {
        BatchEffect::Created(item)
        | BatchEffect::Replaced(item)
        | BatchEffect::Read(ReadResult::Found(item)) => {
            let etag = Some(EntityTag::embedded(item.etag()));
            BatchItemResult::new(Some(item.into_text()), etag, charge)
        }
        BatchEffect::Deleted => BatchItemResult::new(None, None, charge),
        BatchEffect::Read(ReadResult::NotModified(etag)) => {
            BatchItemResult::new(None, Some(EntityTag::embedded(etag)), charge)
        }
    }
}
