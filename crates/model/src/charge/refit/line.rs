//! One line of measurements: an operation with its charge, sizes and counts.
//!
//! Owns the format. A query may use our names for its counts or the service's names for its metrics. Errors name the
//! field.

use crate::charge::{QueryCounters, SIZE_STEPS};
use crate::limits::ITEM_BYTES_MAX;
use crate::resource::members::Members;
use crate::{Json, Result, ValidationError};

/// A measured operation.
#[derive(Clone, Debug, PartialEq)]
pub struct DiagnosticLine {
    /// The charge, in request units.
    pub charge: f64,
    /// The operation.
    pub(super) operation: MeasuredOperation,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum MeasuredOperation {
    Read { bytes: usize },
    Create { bytes: usize, leaves: u64 },
    Delete { bytes: usize, leaves: u64 },
    Replace { bytes: usize, old_bytes: usize, changed_leaves: u64 },
    Patch { bytes: usize, old_bytes: usize, changed_leaves: u64, patch_operations: u64 },
    Query(QueryCounters),
}

const OPERATIONS: &str = "read, create, delete, replace, patch or query";

impl DiagnosticLine {
    /// Parses a line, such as `{"operation":"create","charge":7.05,"bytes":640,"leaves":5}`.
    ///
    /// # Errors
    /// When the line is not a JSON object, or a field is missing, unknown or out of range.
    pub fn parse(text: &str) -> Result<Self> {
        let json = Json::parse(text.as_bytes())
            .map_err(|error| ValidationError::new(format!("it is not JSON: {error}")))?;
        let fields = LineFields { json: &json, members: Members::new("line", &json)? };
        let name = fields.members.text("operation")?;
        let name = name.ok_or_else(|| fields.missing("operation", OPERATIONS))?;
        let operation = match name {
            "read" => MeasuredOperation::Read { bytes: fields.bytes("bytes")? },
            "create" => MeasuredOperation::Create {
                bytes: fields.bytes("bytes")?,
                leaves: fields.required("leaves")?,
            },
            "delete" => MeasuredOperation::Delete {
                bytes: fields.bytes("bytes")?,
                leaves: fields.required("leaves")?,
            },
            "replace" => MeasuredOperation::Replace {
                bytes: fields.bytes("bytes")?,
                old_bytes: fields.old_bytes()?,
                changed_leaves: fields.required("changedLeaves")?,
            },
            "patch" => MeasuredOperation::Patch {
                bytes: fields.bytes("bytes")?,
                old_bytes: fields.old_bytes()?,
                changed_leaves: fields.required("changedLeaves")?,
                patch_operations: fields.required("patchOperations")?,
            },
            "query" => MeasuredOperation::Query(fields.query()?),
            other => {
                return Err(ValidationError::new(format!(
                    "the field 'operation' is '{other}'; use {OPERATIONS}"
                )));
            }
        };
        // After the operation is known, because each has its own fields.
        fields.refuse_unknown(name)?;
        Ok(Self { charge: fields.charge()?, operation })
    }

    /// The name of the operation.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        match self.operation {
            MeasuredOperation::Read { .. } => "read",
            MeasuredOperation::Create { .. } => "create",
            MeasuredOperation::Delete { .. } => "delete",
            MeasuredOperation::Replace { .. } => "replace",
            MeasuredOperation::Patch { .. } => "patch",
            MeasuredOperation::Query(_) => "query",
        }
    }
}

struct LineFields<'line> {
    json: &'line Json,
    members: Members<'line>,
}

impl LineFields<'_> {
    fn missing(&self, name: &str, expected: &str) -> ValidationError {
        ValidationError::new(format!("the field '{name}' is missing; it is {expected}"))
    }

    fn charge(&self) -> Result<f64> {
        match self.members.get("charge") {
            // Zero is refused: errors are given in percent of the charge.
            Some(Json::Number(number)) if number.as_f64() > 0.0 => Ok(number.as_f64()),
            Some(other) => Err(ValidationError::new(format!(
                "the field 'charge' is {other}; give request units above 0"
            ))),
            None => Err(self.missing("charge", "what x-ms-request-charge said")),
        }
    }

    fn optional(&self, name: &str) -> Result<Option<u64>> {
        match self.members.get(name) {
            None => Ok(None),
            Some(Json::Number(number)) => {
                let count = number.as_i64().and_then(|count| u64::try_from(count).ok());
                let refused = || {
                    ValidationError::new(format!(
                        "the field '{name}' is {}; give a whole number from 0 on",
                        number.text()
                    ))
                };
                count.map(Some).ok_or_else(refused)
            }
            Some(other) => {
                Err(ValidationError::new(format!("the field '{name}' is {other}; give a number")))
            }
        }
    }

    fn required(&self, name: &str) -> Result<u64> {
        self.optional(name)?.ok_or_else(|| self.missing(name, "a count from 0 on"))
    }

    fn count(&self, name: &str) -> Result<u64> {
        Ok(self.optional(name)?.unwrap_or(0))
    }

    fn bytes(&self, name: &str) -> Result<usize> {
        let bytes = self.optional(name)?;
        let bytes = bytes.ok_or_else(|| {
            self.missing(name, "the size of the item in bytes without system properties")
        })?;
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        if bytes > ITEM_BYTES_MAX {
            return Err(ValidationError::new(format!(
                "the field '{name}' is {bytes}; an item has at most {ITEM_BYTES_MAX} bytes"
            )));
        }
        Ok(bytes)
    }

    fn old_bytes(&self) -> Result<usize> {
        // Without it, the size is taken as unchanged.
        let name = if self.members.get("oldBytes").is_some() { "oldBytes" } else { "bytes" };
        self.bytes(name)
    }

    /// Reads our counts or the service's. Documents that were retrieved but not returned count as scanned.
    fn query(&self) -> Result<QueryCounters> {
        let retrieved = self.optional("retrievedDocumentCount")?;
        let retrieved_bytes = self.count("retrievedDocumentSize")?;
        let (output, output_bytes) =
            (self.count("outputDocumentCount")?, self.count("outputDocumentSize")?);
        let (scanned, scanned_bytes) = match retrieved {
            Some(retrieved) => {
                // Saturating: a projection may return more bytes than it has retrieved.
                (retrieved.saturating_sub(output), retrieved_bytes.saturating_sub(output_bytes))
            }
            None => (self.count("scanned")?, self.count("scannedBytes")?),
        };
        let lookups = self.count("lookups")?;
        Ok(QueryCounters {
            partitions: self.optional("partitions")?.unwrap_or(1).max(1),
            // The metrics of the service do not contain it. A seek is a use of the index.
            uses_index: lookups > 0,
            lookups,
            loaded_items: self.count("loaded")? + output,
            loaded_bytes: self.count("loadedBytes")? + output_bytes,
            scanned_items: scanned,
            scanned_bytes,
            index_entries: self.count("indexEntries")?,
            tuples: self.count("tuples")?,
            vector_searches: self.count("vectorSearches")?,
        })
    }

    fn refuse_unknown(&self, operation: &str) -> Result<()> {
        let known: &[&str] = match operation {
            "read" => &["bytes"],
            "create" | "delete" => &["bytes", "leaves"],
            "replace" => &["bytes", "oldBytes", "changedLeaves"],
            "patch" => &["bytes", "oldBytes", "changedLeaves", "patchOperations"],
            _ => &QUERY_FIELDS,
        };
        let names = self.json.as_object().into_iter().flat_map(crate::Object::iter);
        for (name, _) in names {
            if !known.contains(&name) && !["operation", "charge"].contains(&name) {
                return Err(ValidationError::new(format!(
                    "the field '{name}' means nothing for a {operation}; use {}",
                    known.join(", ")
                )));
            }
        }
        Ok(())
    }
}

const QUERY_FIELDS: [&str; 13] = [
    "partitions",
    "lookups",
    "loaded",
    "loadedBytes",
    "scanned",
    "scannedBytes",
    "indexEntries",
    "tuples",
    "vectorSearches",
    "retrievedDocumentCount",
    "retrievedDocumentSize",
    "outputDocumentCount",
    "outputDocumentSize",
];

/// The index of the size step of an item.
pub(super) fn step_index(bytes: usize) -> usize {
    let last = SIZE_STEPS.len() - 1;
    let found = SIZE_STEPS.iter().position(|step| bytes as u64 <= step.kilobytes * 1024);
    found.unwrap_or(last)
}
