//! Transactional batches through the library.

use azure_data_cosmos::TransactionalBatch;
use azure_data_cosmos::models::TransactionalBatchResponse;
use azure_data_cosmos::options::{
    BatchDeleteOptions, BatchOptions, BatchReplaceOptions, BatchUpsertOptions, Precondition,
};
use bytes::Bytes;
use engine::ContainerLink;
use model::PartitionKey;

use crate::answer::Etag;
use crate::call::{BatchStep, Body, Reply};
use crate::error::{Error, ErrorKind, Result};
use crate::item::BatchAnswer;

use super::Connected;
use super::error::{kind_of, translate};
use super::execute::with_content;
use super::reply::reply;
use super::translate::{partition_key, raw};

/// The status of an operation that was not tried because another one failed.
const FAILED_DEPENDENCY: u16 = 424;

impl Connected {
    pub(super) async fn batch(
        &self,
        container: &ContainerLink,
        key: &PartitionKey,
        steps: &[BatchStep],
    ) -> Result<Reply> {
        let mut batch = TransactionalBatch::new(partition_key(key)?);
        for (index, step) in steps.iter().enumerate() {
            batch = add(batch, step).map_err(|error| error.at_operation(index))?;
        }
        let options = BatchOptions::default().with_operation_options(with_content());
        let client = self.container(container).await?;
        let response = match client.execute_transactional_batch(batch, Some(options)).await {
            Ok(response) => response,
            Err(error) => {
                let body = error.response().map(|response| response.body().clone());
                let text = body.and_then(|body| body.single().ok()).unwrap_or_default();
                let failure = serde_json::from_slice(&text).ok().and_then(|it| failure(&it));
                return Err(failure.unwrap_or_else(|| translate(error)));
            }
        };
        let mut reply = reply(response.headers(), Body::Nothing, &self.environment);
        let results = response.into_model().map_err(translate)?;
        if let Some(error) = failure(&results) {
            return Err(error);
        }
        let answers = results.results().iter().map(|result| {
            let text = result.resource_body();
            let text = text.map(|raw| Bytes::copy_from_slice(raw.get().as_bytes()));
            let etag = result.etag().map(Etag::from_text);
            BatchAnswer::new(text, etag, result.request_charge().unwrap_or_default())
        });
        reply.body = Body::Batch(answers.collect());
        Ok(reply)
    }
}

/// Why a batch was rolled back: the first operation that failed by itself.
fn failure(results: &TransactionalBatchResponse) -> Option<Error> {
    let mut failed = results.results().iter().enumerate().filter(|(_, one)| !one.is_success());
    let own = failed.find(|(_, one)| one.status_code() != FAILED_DEPENDENCY);
    let (index, result) = own?;
    let code = result.status_code();
    let kind = kind_of(code, result.substatus_code(), result.retry_after());
    let message =
        format!("operation {index} of the batch was answered {code}; nothing was written");
    Some(Error::new(kind.unwrap_or(ErrorKind::Unavailable), message).at_operation(index))
}

fn add(batch: TransactionalBatch, step: &BatchStep) -> Result<TransactionalBatch> {
    let if_match = |etag: &Etag| Precondition::if_match(etag.to_string());
    Ok(match step {
        BatchStep::Create { item } => batch.create_item(raw(item)?).map_err(translate)?,
        BatchStep::Upsert { item, etag } => {
            let options = etag
                .as_ref()
                .map(|etag| BatchUpsertOptions::default().with_precondition(if_match(etag)));
            batch.upsert_item(raw(item)?, options).map_err(translate)?
        }
        BatchStep::Replace { id, item, etag } => {
            let options = etag
                .as_ref()
                .map(|etag| BatchReplaceOptions::default().with_precondition(if_match(etag)));
            batch.replace_item(id.to_string(), raw(item)?, options).map_err(translate)?
        }
        BatchStep::Delete { id, etag } => {
            let options = etag
                .as_ref()
                .map(|etag| BatchDeleteOptions::default().with_precondition(if_match(etag)));
            batch.delete_item(id.to_string(), options)
        }
        BatchStep::Read { id } => batch.read_item(id.to_string(), None),
        BatchStep::Patch { .. } => {
            return Err(Error::unsupported(
                "a connected account cannot patch inside a batch; replace the item instead",
            ));
        }
    })
}
