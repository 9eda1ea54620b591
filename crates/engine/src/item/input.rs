//! Items as callers hand them in, checked once at the border.
//!
//! Owns the rules of an incoming item: object, id, time to live, size, depth, partition key. After this file the
//! types are trusted. Does not own the verbs.

use std::sync::Arc;

use model::limits::{ITEM_BYTES_MAX, NESTING_LEVELS_MAX};
use model::{Completeness, ItemId, ItemTimeToLive, Json, Object, PartitionKey};

use crate::container::ContainerIdentity;
use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::{ItemKey, LogicalPartition};

/// An item that may be written.
#[derive(Debug)]
pub(crate) struct NewItem {
    pub(crate) key: ItemKey,
    /// Shared, because a write may have to be submitted again.
    pub(crate) object: Arc<Object>,
    pub(crate) time_to_live: Option<ItemTimeToLive>,
    pub(crate) bytes: usize,
}

/// Checks an item and finds its place.
pub(crate) fn check(
    container: &ContainerIdentity,
    given: Option<&PartitionKey>,
    item: Json,
) -> Result<NewItem> {
    let Json::Object(object) = item else {
        return Err(Error::invalid(format!(
            "The input content is invalid: an item is a JSON object, not {}.",
            item.type_name()
        )));
    };
    let id = item_id(&object)?;
    let item = Json::Object(object);
    let bytes = check_size_and_depth(&item)?;
    let time_to_live = ItemTimeToLive::from_item(&item)?;
    let extracted = container.definition.extract(&item);
    container
        .definition
        .validate(&extracted, Completeness::Full)
        .map_err(|invalid| partition_key_error(&invalid))?;
    if let Some(given) = given {
        check_partition_key(container, given)?;
        if *given != extracted {
            return Err(Error::new(
                ErrorKind::PartitionKeyMismatch,
                format!(
                    "PartitionKey extracted from document doesn't match the one specified in the header. \
                     Extracted {}, given {}.",
                    extracted.to_json(),
                    given.to_json()
                ),
            ));
        }
    }
    let key = ItemKey::new(&container.definition.effective(&extracted), &extracted, id.as_str());
    let Json::Object(object) = item else { return Err(Error::invalid("an item is an object")) };
    Ok(NewItem { key, object: Arc::new(object), time_to_live, bytes })
}

/// The place of an item named by partition key and id.
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

/// Text that a stored item may not exceed, with the depth rule for values that never were text.
pub(crate) fn check_size_and_depth(item: &Json) -> Result<usize> {
    if depth(item) > NESTING_LEVELS_MAX {
        return Err(Error::invalid(format!(
            "The item is nested deeper than {NESTING_LEVELS_MAX} levels. Flatten it."
        )));
    }
    let bytes = item.to_bytes().len();
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

/// Levels of nesting, without recursion so that a hostile value cannot exhaust the stack.
fn depth(item: &Json) -> usize {
    let mut deepest = 0;
    let mut open = vec![(item, 1)];
    while let Some((value, level)) = open.pop() {
        match value {
            Json::Array(elements) => {
                deepest = deepest.max(level);
                open.extend(elements.iter().map(|element| (element, level + 1)));
            }
            Json::Object(object) => {
                deepest = deepest.max(level);
                open.extend(object.iter().map(|(_, value)| (value, level + 1)));
            }
            _ => {}
        }
    }
    deepest
}
