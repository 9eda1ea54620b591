//! Transactional batches through the SDK.

use azure_data_cosmos::TransactionalBatch;
use azure_data_cosmos::models::TransactionalBatchResponse;
use azure_data_cosmos::options::{
    BatchDeleteOptions, BatchOptions, BatchReplaceOptions, BatchUpsertOptions, Precondition,
};
use bytes::Bytes;
use engine::ContainerLink;
use model::PartitionKey;

use crate::error::{Error, ErrorKind, Result};
use crate::item::{BatchItemOperation, BatchItemResult};
use crate::request::{BackendResponse, ResponseBody};
use crate::response::EntityTag;

use super::ConnectedBackend;
use super::convert::{partition_key, raw};
use super::error::{error_kind, translate};
use super::execute::with_content;
use super::response::metadata_response;

/// The status of an operation that was not executed because another one failed.
const FAILED_DEPENDENCY: u16 = 424;

impl ConnectedBackend {
    pub(super) async fn batch(
        &self,
        container: &ContainerLink,
        key: &PartitionKey,
        entries: &[BatchItemOperation],
    ) -> Result<BackendResponse> {
        let mut batch = TransactionalBatch::new(partition_key(key)?);
        for (index, entry) in entries.iter().enumerate() {
            batch = add(batch, entry).map_err(|error| error.at_operation(index))?;
        }
        let options = BatchOptions::default().with_operation_options(with_content());
        let client = self.container(container).await?;
        let response = match client.execute_transactional_batch(batch, Some(options)).await {
            Ok(response) => response,
            Err(error) => {
                // The SDK reports a rolled back batch as an error, with the results of its operations in the body.
                let body = error.response().map(|response| response.body().clone());
                let text = body.and_then(|body| body.single().ok()).unwrap_or_default();
                let failure =
                    serde_json::from_slice(&text).ok().and_then(|results| failure(&results));
                return Err(failure.unwrap_or_else(|| translate(error)));
            }
        };
        let mut converted =
            metadata_response(response.headers(), ResponseBody::Nothing, &self.environment);
        let results = response.into_model().map_err(translate)?;
        if let Some(error) = failure(&results) {
            return Err(error);
        }
        let batch_results = results.results().iter().map(|result| {
            let text = result.resource_body();
            let text = text.map(|raw| Bytes::copy_from_slice(raw.get().as_bytes()));
            let etag = result.etag().map(EntityTag::from_text);
            BatchItemResult::new(text, etag, result.request_charge().unwrap_or_default())
        });
        converted.body = ResponseBody::Batch(batch_results.collect());
        Ok(converted)
    }
}

/// Why a batch was rolled back: the first operation that failed on its own.
fn failure(results: &TransactionalBatchResponse) -> Option<Error> {
    let mut failed = results.results().iter().enumerate().filter(|(_, one)| !one.is_success());
    // All other operations have status 424, which says nothing about the cause.
    let own = failed.find(|(_, one)| one.status_code() != FAILED_DEPENDENCY);
    let (index, result) = own?;
    let code = result.status_code();
    let kind = error_kind(code, result.substatus_code(), result.retry_after());
    let message =
        format!("operation {index} of the batch failed with status {code}; nothing was written");
    Some(Error::new(kind.unwrap_or(ErrorKind::Unavailable), message).at_operation(index))
}

fn add(batch: TransactionalBatch, entry: &BatchItemOperation) -> Result<TransactionalBatch> {
    let if_match = |etag: &EntityTag| Precondition::if_match(etag.to_string());
    Ok(match entry {
        BatchItemOperation::Create { item } => batch.create_item(raw(item)?).map_err(translate)?,
        BatchItemOperation::Upsert { item, etag } => {
            let options = etag
                .as_ref()
                .map(|etag| BatchUpsertOptions::default().with_precondition(if_match(etag)));
            batch.upsert_item(raw(item)?, options).map_err(translate)?
        }
        BatchItemOperation::Replace { id, item, etag } => {
            let options = etag
                .as_ref()
                .map(|etag| BatchReplaceOptions::default().with_precondition(if_match(etag)));
            batch.replace_item(id.to_string(), raw(item)?, options).map_err(translate)?
        }
        BatchItemOperation::Delete { id, etag } => {
            let options = etag
                .as_ref()
                .map(|etag| BatchDeleteOptions::default().with_precondition(if_match(etag)));
            batch.delete_item(id.to_string(), options)
        }
        BatchItemOperation::Read { id } => batch.read_item(id.to_string(), None),
        BatchItemOperation::Patch { .. } => {
            return Err(Error::unsupported(
                "a connected account cannot patch inside a batch; replace the item instead",
            ));
        }
    })
}
