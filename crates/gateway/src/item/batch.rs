//! Transactional batches.
//!
//! Owns the request and the response of a batch, and passes bulk requests on, which have the same format.

use bytes::Bytes;
use engine::operation::TransactionalBatch;
use engine::response::BatchResult;
use engine::{ContainerAddress, Engine};
use hyper::StatusCode;
use model::limits::TRANSACTIONAL_BATCH_OPERATIONS_MAX;
use model::{Completeness, Json, PartitionKey, RequestCharge};

use super::bulk;
use super::operation_request::{BatchRequestEntry, parse_operations};
use super::operation_response::{self, BatchResponseEntry};
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, header, parse_on_thread};

/// The first byte of the binary batch format of one client.
const HYBRID_ROW: u8 = 0x81;

pub(super) async fn handle_batch(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
) -> ApiResult<ApiResponse> {
    if request.body.first() == Some(&HYBRID_ROW) {
        return Err(ApiError::unsupported(
            "Batches in HybridRow form are not supported. Use a client that sends batches as JSON.",
        ));
    }
    let parse =
        |body: &Bytes| parse_operations(&Json::parse(body).map_err(ApiError::invalid_payload)?);
    let operations = parse_on_thread(engine, &request.body, parse).await?;
    if operations.is_empty() {
        return Err(ApiError::bad_request("Batch request has no operations."));
    }
    if operations.len() > TRANSACTIONAL_BATCH_OPERATIONS_MAX {
        return Err(ApiError::bad_request(
            "Batch request has more operations than what is supported.",
        ));
    }
    request.refuse_triggers("a batch")?;
    if request.flag(&header::BATCH_ATOMIC) {
        // A transaction fails as a whole for one malformed operation. A bulk request fails that operation alone.
        let operations = operations.into_iter().collect::<ApiResult<Vec<_>>>()?;
        run_transactional(engine, request, address, operations).await
    } else {
        bulk::run_bulk(engine, request, address, operations).await
    }
}

/// The partition key in the header. A batch refuses a wrong number of components with a sentence of its own.
fn full_partition_key(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
) -> ApiResult<PartitionKey> {
    let key = request.required_partition_key()?;
    let definition = engine.partition_key_definition(&address.link)?;
    definition.validate(&key, Completeness::Full).map_err(|_| {
        ApiError::bad_request(
            "Partition key provided either doesn't correspond to definition in the collection or doesn't match \
             partition key field values specified in the document.",
        )
        .with_sub_status(1001)
    })?;
    Ok(key)
}

async fn run_transactional(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
    entries: Vec<BatchRequestEntry>,
) -> ApiResult<ApiResponse> {
    let minimal: Vec<bool> =
        entries.iter().map(|entry| entry.is_minimal(request.wants_minimal())).collect();
    let batch = TransactionalBatch {
        container: address.link.clone(),
        partition_key: full_partition_key(engine, request, address)?,
        operations: entries
            .into_iter()
            .map(|entry| entry.into_operation(request.wants_explanation()))
            .collect(),
    };
    let token = request.session_token()?;
    engine.check_session(&batch.container, &batch.partition_key, token.as_ref())?;
    let mut result = engine.transactional_batch(batch).await?;
    let explanation = result.explanation.take();
    let (status, sub_status, entries) = match result.value {
        BatchResult::Committed(results) => {
            let entries = results.into_iter().zip(&minimal).map(|(result, minimal)| {
                let entry = BatchResponseEntry::from_effect(result.effect, result.charge);
                if *minimal { entry.without_body() } else { entry }
            });
            (StatusCode::OK, None, entries.collect())
        }
        BatchResult::RolledBack { failed, error, charges } => {
            let error = ApiError::from(error);
            let entry = |index| match index == failed {
                true => BatchResponseEntry::from_error(&error),
                // Operations before the failed one have run and are charged; those after it have not.
                false => BatchResponseEntry::failed_dependency(charges.get(index).copied()),
            };
            let entries: Vec<BatchResponseEntry> = (0..minimal.len()).map(entry).collect();
            // 207, as the service: the request was understood, its operations have statuses of their own.
            (StatusCode::MULTI_STATUS, error.sub_status(), entries)
        }
    };
    Ok(batch_response(status, &entries, result.charge, address)
        .with_some(header::SUBSTATUS, sub_status)
        .charge_explanation(explanation)
        .session_token(result.session_token.as_ref()))
}

/// The response with the entries.
pub(super) fn batch_response(
    status: StatusCode,
    entries: &[BatchResponseEntry],
    charge: RequestCharge,
    address: &ContainerAddress,
) -> ApiResponse {
    ApiResponse::json(status, operation_response::to_bytes(entries))
        .with(header::ITEM_COUNT, entries.len())
        .charge(charge)
        .container_headers(address)
}
