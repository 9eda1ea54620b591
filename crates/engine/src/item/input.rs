//! Validates items as callers send them.
//!
//! Owns the rules of a new item: object, id, time to live, size, depth, partition key. After this the types are
//! trusted. Does not own the verbs.

use model::limits::{ITEM_BYTES_MAX, NESTING_LEVELS_MAX};
use model::{
    Completeness, ItemId, ItemTimeToLive, Json, MeasuredJson, Object, PartitionKey, Patch,
};

use crate::container::ContainerIdentity;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::{ItemKey, LogicalPartition};

/// A validated item.
#[derive(Debug)]
pub(crate) struct NewItem {
    pub(crate) key: ItemKey,
    /// The item, which is an object. A transaction adds the system properties to it.
    pub(crate) item: Json,
    pub(crate) time_to_live: Option<ItemTimeToLive>,
    /// Bytes of its text as the caller sent it, printed compactly.
    pub(crate) bytes: usize,
}

impl Engine {
    /// The item as it is stored.
    pub(crate) fn stored_form(&self, item: MeasuredJson) -> MeasuredJson {
        if self.core.settings.exact_numbers { item } else { item.with_service_numbers() }
    }

    /// The patch whose values are as they are stored.
    pub(crate) fn stored_patch(&self, patch: Patch) -> Patch {
        if self.core.settings.exact_numbers { patch } else { patch.with_service_numbers() }
    }
}

/// Validates an item and computes its key.
pub(crate) fn check(
    container: &ContainerIdentity,
    requested: Option<&PartitionKey>,
    item: MeasuredJson,
) -> Result<NewItem> {
    let Json::Object(object) = item.value() else {
        return Err(Error::invalid(format!(
            "The input content is invalid: an item is a JSON object, not {}.",
            item.value().type_name()
        )));
    };
    let id = item_id(object)?;
    let bytes = check_size_and_depth(&item)?;
    let item = item.into_value();
    // Kept in the header of the record, so that readers decide about expiry without parsing the text.
    let time_to_live = ItemTimeToLive::from_item(&item)?;
    let extracted = container.definition.extract(&item);
    container
        .definition
        .validate(&extracted, Completeness::Full)
        .map_err(|invalid| partition_key_error(&invalid))?;
    if let Some(requested) = requested {
        // The key in the header is validated too: an incomplete one must not pass as a prefix.
        check_partition_key(container, requested)?;
        if *requested != extracted {
            return Err(Error::new(
                ErrorKind::PartitionKeyMismatch,
                format!(
                    "PartitionKey extracted from document doesn't match the one specified in the header. \
                     Extracted {}, given {}.",
                    extracted.to_json(),
                    requested.to_json()
                ),
            ));
        }
    }
    // From the extracted values, which equal the requested ones: an item can never be stored under another key than
    // its own.
    let key = ItemKey::new(&container.definition.effective(&extracted), &extracted, id.as_str());
    Ok(NewItem { key, item, time_to_live, bytes })
}

/// The key of an item, from partition key and id.
pub(crate) fn item_key(
    container: &ContainerIdentity,
    partition_key: &PartitionKey,
    id: &ItemId,
) -> Result<ItemKey> {
    check_partition_key(container, partition_key)?;
    let epk = container.definition.effective(partition_key);
    Ok(ItemKey::new(&epk, partition_key, id.as_str()))
}

/// The storage prefix of a full partition key.
pub(crate) fn logical_partition(
    container: &ContainerIdentity,
    partition_key: &PartitionKey,
) -> LogicalPartition {
    LogicalPartition::new(&container.definition.effective(partition_key), partition_key)
}

/// Refuses a partition key that is incomplete or too long.
pub(crate) fn check_partition_key(
    container: &ContainerIdentity,
    partition_key: &PartitionKey,
) -> Result<()> {
    container
        .definition
        .validate(partition_key, Completeness::Full)
        .map_err(|invalid| partition_key_error(&invalid))
}

/// Checks the limits of an item and returns its size. Both numbers were taken while it was parsed.
pub(crate) fn check_size_and_depth(item: &MeasuredJson) -> Result<usize> {
    if item.nesting_levels() > NESTING_LEVELS_MAX {
        return Err(Error::invalid(format!(
            "The item is nested deeper than {NESTING_LEVELS_MAX} levels. Flatten it."
        )));
    }
    let bytes = item.printed_bytes();
    if bytes > ITEM_BYTES_MAX {
        return Err(Error::new(
            ErrorKind::TooLarge,
            format!(
                "Request size is too large: the item has {bytes} bytes, at most {ITEM_BYTES_MAX} are allowed. \
                 Split it or keep large parts elsewhere."
            ),
        ));
    }
    Ok(bytes)
}

fn partition_key_error(invalid: &model::ValidationError) -> Error {
    Error::new(ErrorKind::PartitionKeyMismatch, invalid.message())
}

fn item_id(object: &Object) -> Result<ItemId> {
    match object.get("id") {
        Some(Json::String(id)) => Ok(ItemId::new(id.clone())?),
        None => Err(Error::invalid(
            "The input content is invalid because the required properties - 'id; ' - are missing.",
        )),
        Some(other) => Err(Error::invalid(format!(
            "The input content is invalid because the property 'id' is {} and must be a string.",
            other.type_name()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use model::{PartitionKeyDefinition, ResourceId};

    use super::*;

    #[test]
    fn an_item_is_measured_by_the_parser_and_moved_instead_of_cloned() {
        let rid = ResourceId::container(&ResourceId::database(1), 1);
        let definition = PartitionKeyDefinition::single("/pk").unwrap();
        let container = ContainerIdentity::new(rid, definition);
        let text = br#"{ "id": "1", "pk": "a", "long": "some text on the heap" }"#;
        let item = MeasuredJson::parse(text).unwrap();
        let address = |item: &Json| item.get("long").and_then(Json::as_str).map(str::as_ptr);
        let parsed_at = address(item.value());
        let new = check(&container, None, item).unwrap();
        assert_eq!(address(&new.item), parsed_at, "the same string, not a copy");
        assert_eq!(new.bytes, new.item.to_bytes().len());
    }
}
