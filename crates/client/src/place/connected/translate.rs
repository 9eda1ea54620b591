//! Our words as those of the library.

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

/// A part of a container.
pub(super) fn scope(part: &FeedRange) -> Result<FeedScope> {
    Ok(match part {
        FeedRange::Container => FeedScope::full_container(),
        FeedRange::PartitionKey(key) => FeedScope::partition(partition_key(key)?),
        FeedRange::Epk(_) => FeedScope::range(library_range(part)?),
    })
}

/// A feed range, by the text both sides know.
pub(super) fn library_range(part: &FeedRange) -> Result<azure_data_cosmos::feed::FeedRange> {
    part.to_text().parse().map_err(translate)
}

/// JSON exactly as it is printed.
pub(super) fn raw(json: &Json) -> Result<Box<RawValue>> {
    RawValue::from_string(json.to_string())
        .map_err(|error| Error::unexpected("a value cannot be printed as JSON").with_source(error))
}
