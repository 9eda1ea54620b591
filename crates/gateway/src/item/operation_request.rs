//! The body of a batch or bulk request: a JSON array of operations.
//!
//! Owns parsing it. Does not own running the operations.

use engine::operation::{BatchOperation, WriteOptions};
use model::{EtagPattern, IndexingDirective, ItemId, Json, PartitionKey, Precondition};

use super::patch::parse_patch;
use crate::http::{ApiError, ApiResult};

/// One parsed operation, with the properties that only bulk requests have.
#[derive(Debug)]
pub(crate) struct BatchRequestEntry {
    pub(super) operation: BatchOperation,
    pub(super) partition_key: Option<PartitionKey>,
    pub(super) wants_minimal: bool,
}

/// Parses the body of a batch. In a bulk request, an invalid operation fails alone.
pub(super) fn parse_operations(body: &Json) -> ApiResult<Vec<ApiResult<BatchRequestEntry>>> {
    let entries = body
        .as_array()
        .ok_or_else(|| ApiError::invalid_payload("A batch is a JSON array of operations."))?;
    Ok(entries.iter().map(parse_operation).collect())
}

fn parse_operation(entry: &Json) -> ApiResult<BatchRequestEntry> {
    let kind = entry.get("operationType").and_then(Json::as_str).unwrap_or_default();
    let body = || {
        entry.get("resourceBody").cloned().ok_or_else(|| {
            ApiError::invalid_payload(format!("The operation '{kind}' needs a 'resourceBody'."))
        })
    };
    let id = || {
        let id = entry.get("id").and_then(Json::as_str);
        let id = id.ok_or_else(|| {
            ApiError::invalid_payload(format!("The operation '{kind}' needs an 'id'."))
        })?;
        Ok::<_, ApiError>(ItemId::new(id)?)
    };
    let options = parse_write_options(entry)?;
    // In any case, as `authorize_batch` reads it: both must see the same operation.
    let operation = match kind.to_ascii_lowercase().as_str() {
        "create" => BatchOperation::Create { item: body()?.into(), options },
        "upsert" => {
            // The only write that knows If-None-Match; If-Match takes precedence.
            let precondition = options.precondition.or_else(|| parse_if_none_match(entry));
            let options = WriteOptions { precondition, ..options };
            BatchOperation::Upsert { item: body()?.into(), options }
        }
        "replace" => BatchOperation::Replace { id: id()?, item: body()?.into(), options },
        "patch" => BatchOperation::Patch { id: id()?, patch: parse_patch(&body()?)?, options },
        "delete" => BatchOperation::Delete { id: id()?, options },
        "read" => BatchOperation::Read {
            id: id()?,
            precondition: options.precondition.or_else(|| parse_if_none_match(entry)),
        },
        _ => {
            return Err(ApiError::invalid_payload(format!(
                "The operation '{kind}' is not known. Use Create, Upsert, Read, Replace, Patch or Delete."
            )));
        }
    };
    let wants_minimal =
        entry.get("minimalReturnPreference").and_then(Json::as_bool).unwrap_or(false);
    Ok(BatchRequestEntry { operation, partition_key: parse_partition_key(entry)?, wants_minimal })
}

impl BatchRequestEntry {
    /// Whether the result has no item. The preference of the request is about writes; what a read finds is its result.
    pub(super) fn is_minimal(&self, request_is_minimal: bool) -> bool {
        let is_read = matches!(self.operation, BatchOperation::Read { .. });
        !is_read && (request_is_minimal || self.wants_minimal)
    }

    /// Returns the operation and sets whether its charge is explained.
    pub(super) fn into_operation(mut self, explain: bool) -> BatchOperation {
        match &mut self.operation {
            BatchOperation::Create { options, .. }
            | BatchOperation::Upsert { options, .. }
            | BatchOperation::Replace { options, .. }
            | BatchOperation::Patch { options, .. }
            | BatchOperation::Delete { options, .. } => options.explain_charge = explain,
            BatchOperation::Read { .. } => {}
        }
        self.operation
    }
}

fn parse_write_options(entry: &Json) -> ApiResult<WriteOptions> {
    let indexing = match entry.get("indexingDirective").and_then(Json::as_str) {
        Some(text) => IndexingDirective::parse(text)?,
        None => IndexingDirective::default(),
    };
    let precondition = parse_etag(entry, "ifMatch").map(Precondition::IfMatch);
    Ok(WriteOptions { precondition, indexing, ..WriteOptions::default() })
}

fn parse_if_none_match(entry: &Json) -> Option<Precondition> {
    parse_etag(entry, "ifNoneMatch").map(Precondition::IfNoneMatch)
}

fn parse_etag(entry: &Json, name: &str) -> Option<EtagPattern> {
    entry.get(name).and_then(Json::as_str).map(EtagPattern::parse)
}

/// Parses the partition key: a string that contains JSON, or the JSON itself.
fn parse_partition_key(entry: &Json) -> ApiResult<Option<PartitionKey>> {
    let key = match entry.get("partitionKey") {
        None | Some(Json::Null) => return Ok(None),
        // The SDKs send the header text inside a string.
        Some(Json::String(text)) => PartitionKey::parse(text),
        Some(other) => PartitionKey::from_json(other),
    };
    key.map(Some).map_err(|invalid| ApiError::from(invalid).with_sub_status(1001))
}
