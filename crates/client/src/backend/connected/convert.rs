//! Convert our types to those of the SDK.

use azure_data_cosmos::feed::FeedScope;
use azure_data_cosmos::models::{PartitionKey as LibraryKey, PartitionKeyValue as LibraryValue};
use model::{FeedRange, Json, PartitionKey, PartitionKeyValue};
use serde_json::value::RawValue;

use crate::error::{Error, Result};

use super::error::translate;

/// A partition key, or a prefix of one.
pub(super) fn partition_key(key: &PartitionKey) -> Result<LibraryKey> {
    let values = key.components().iter().map(value).collect::<Result<Vec<_>>>()?;
    LibraryKey::try_from(values).map_err(translate)
}

fn value(value: &PartitionKeyValue) -> Result<LibraryValue> {
    Ok(match value {
        PartitionKeyValue::Undefined => LibraryKey::UNDEFINED,
        PartitionKeyValue::Null => LibraryKey::NULL,
        PartitionKeyValue::Bool(value) => (*value).into(),
        PartitionKeyValue::Number(value) => LibraryValue::try_from(*value).map_err(translate)?,
        PartitionKeyValue::String(value) => value.into(),
    })
}

/// The scope of a feed range.
pub(super) fn feed_scope(range: &FeedRange) -> Result<FeedScope> {
    Ok(match range {
        FeedRange::Container => FeedScope::full_container(),
        FeedRange::PartitionKey(key) => FeedScope::partition(partition_key(key)?),
        FeedRange::Epk(_) => FeedScope::range(library_range(range)?),
    })
}

/// A feed range, by its text form.
pub(super) fn library_range(range: &FeedRange) -> Result<azure_data_cosmos::feed::FeedRange> {
    range.to_text().parse().map_err(translate)
}

/// JSON exactly as we print it.
pub(super) fn raw(json: &Json) -> Result<Box<RawValue>> {
    RawValue::from_string(json.to_string())
        .map_err(|error| Error::unexpected("a value cannot be printed as JSON").caused_by(&error))
}
