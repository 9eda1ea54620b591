//! Operations of batches as clients write them: a JSON array of objects.
//!
//! Owns the names and members. Does not own running them.

use engine::operation::{BatchOperation, WriteOptions};
use model::{EtagPattern, IndexingDirective, ItemId, Json, PartitionKey, Precondition};

use super::patch;
use crate::exchange::{Failure, Outcome};

/// One operation, with what only bulk requests say.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) operation: BatchOperation,
    pub(crate) partition_key: Option<PartitionKey>,
    pub(crate) wants_minimal: bool,
}

/// Reads the body of a batch.
pub(crate) fn operations(body: &Json) -> Outcome<Vec<Outcome<Written>>> {
    let entries = body
        .as_array()
        .ok_or_else(|| Failure::invalid_payload("A batch is a JSON array of operations."))?;
    Ok(entries.iter().map(operation).collect())
}

fn operation(entry: &Json) -> Outcome<Written> {
    let kind = entry.get("operationType").and_then(Json::as_str).unwrap_or_default();
    let body = || {
        entry.get("resourceBody").cloned().ok_or_else(|| {
            Failure::invalid_payload(format!("The operation '{kind}' needs a 'resourceBody'."))
        })
    };
    let id = || {
        let id = entry.get("id").and_then(Json::as_str);
        let id = id.ok_or_else(|| {
            Failure::invalid_payload(format!("The operation '{kind}' needs an 'id'."))
        })?;
        Ok::<_, Failure>(ItemId::new(id)?)
    };
    let options = write_options(entry)?;
    let operation = match kind.to_ascii_lowercase().as_str() {
        "create" => BatchOperation::Create { item: body()?.into(), options },
        "upsert" => BatchOperation::Upsert { item: body()?.into(), options },
        "replace" => BatchOperation::Replace { id: id()?, item: body()?.into(), options },
        "patch" => BatchOperation::Patch { id: id()?, patch: patch::parse(&body()?)?, options },
        "delete" => BatchOperation::Delete { id: id()?, options },
        "read" => BatchOperation::Read {
            id: id()?,
            precondition: etag(entry, "ifNoneMatch").map(Precondition::IfNoneMatch),
        },
        _ => {
            return Err(Failure::invalid_payload(format!(
                "The operation '{kind}' is not known. Use Create, Upsert, Read, Replace, Patch or Delete."
            )));
        }
    };
    let wants_minimal =
        entry.get("minimalReturnPreference").and_then(Json::as_bool).unwrap_or(false);
    Ok(Written { operation, partition_key: partition_key(entry)?, wants_minimal })
}

impl Written {
    /// The operation, told whether to explain its charge.
    pub(crate) fn operation_explained(mut self, explain: bool) -> BatchOperation {
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

fn write_options(entry: &Json) -> Outcome<WriteOptions> {
    let indexing = match entry.get("indexingDirective").and_then(Json::as_str) {
        Some(text) => IndexingDirective::parse(text)?,
        None => IndexingDirective::default(),
    };
    let precondition = etag(entry, "ifMatch").map(Precondition::IfMatch);
    Ok(WriteOptions { precondition, indexing, explain_charge: false })
}

fn etag(entry: &Json, name: &str) -> Option<EtagPattern> {
    entry.get(name).and_then(Json::as_str).map(EtagPattern::parse)
}

/// A string that holds JSON, or the JSON itself.
fn partition_key(entry: &Json) -> Outcome<Option<PartitionKey>> {
    let key = match entry.get("partitionKey") {
        None | Some(Json::Null) => return Ok(None),
        Some(Json::String(text)) => PartitionKey::parse(text),
        Some(other) => PartitionKey::from_json(other),
    };
    key.map(Some).map_err(|invalid| Failure::from(invalid).sub_status(1001))
}
