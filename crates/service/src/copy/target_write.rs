//! What a page of changes does to the target: items to upsert and to delete.
//!
//! Owns that the last change of an address counts: the feed of all versions may contain several versions of one item,
//! and the writes of a page run concurrently. Does not own the calls: see `run`.

use std::collections::HashMap;

use client::{Change, ChangeOperation, Item, Json, PartitionKey};
use serde::de::IgnoredAny;

use super::convert::{ConvertedItem, ItemConversion, RejectedItem, RejectedItems};
use super::error::CopyError;

/// One write in the target.
pub(super) enum TargetWrite {
    Upsert(ConvertedItem),
    Delete(TargetItemAddress),
}

/// The address of an item in the target.
pub(super) struct TargetItemAddress {
    pub(super) id: String,
    pub(super) partition_key: PartitionKey,
}

/// The writes of one page.
#[derive(Default)]
pub(super) struct TargetWrites {
    /// By address, so that a later write replaces an earlier one.
    by_address: HashMap<(String, String), TargetWrite>,
    /// Number of deletions whose address in the target is unknown.
    pub(super) unplaced: u64,
}

impl TargetWrites {
    /// Adds the latest version of an item.
    pub(super) fn latest(
        &mut self,
        conversion: &ItemConversion,
        change: &Change<IgnoredAny>,
        refused: &mut RejectedItems,
    ) -> Result<(), CopyError> {
        match convert(conversion, change.current.as_ref())? {
            Some(Ok(item)) => self.put(TargetWrite::Upsert(item)),
            Some(Err(item)) => refused.add(item),
            None => {}
        }
        Ok(())
    }

    /// Adds one version of an item, or a deletion.
    pub(super) fn version(
        &mut self,
        conversion: &ItemConversion,
        change: &Change<IgnoredAny>,
        refused: &mut RejectedItems,
    ) -> Result<(), CopyError> {
        // The previous version gives the old address. With a new partition key it may differ from the new one, and the
        // old item must go.
        let before = convert(conversion, change.previous.as_ref())?;
        let is_deletion =
            matches!(change.operation, Some(ChangeOperation::Delete | ChangeOperation::Expire));
        match before {
            Some(Ok(item)) => self.put(TargetWrite::Delete(item.address())),
            // The old version was rejected, so it was never copied.
            Some(Err(_)) => {}
            None if is_deletion => match unchanged_address(conversion, change) {
                Some(address) => self.put(TargetWrite::Delete(address)),
                None => self.unplaced += 1,
            },
            None => {}
        }
        // Order matters: if the address is unchanged, the upsert replaces the deletion added above; if it changed, both
        // stay.
        if is_deletion { Ok(()) } else { self.latest(conversion, change, refused) }
    }

    fn put(&mut self, write: TargetWrite) {
        let (id, key) = match &write {
            TargetWrite::Upsert(item) => (&item.id, &item.partition_key),
            TargetWrite::Delete(address) => (&address.id, &address.partition_key),
        };
        self.by_address.insert((key.to_json().to_string(), id.clone()), write);
    }

    pub(super) fn into_inner(self) -> impl Iterator<Item = TargetWrite> {
        self.by_address.into_values()
    }
}

impl ConvertedItem {
    fn address(self) -> TargetItemAddress {
        TargetItemAddress { id: self.id, partition_key: self.partition_key }
    }
}

/// Converts an item for the target; `None` if there is no item.
fn convert(
    conversion: &ItemConversion,
    item: Option<&Item<IgnoredAny>>,
) -> Result<Option<Result<ConvertedItem, RejectedItem>>, CopyError> {
    let Some(item) = item else { return Ok(None) };
    let stored = Json::parse(item.text())
        .map_err(|error| CopyError::Plan(format!("an item of the source is no JSON: {error}")))?;
    Ok(Some(conversion.convert(&stored)))
}

/// The address of an item whose content the feed does not contain: the same as in the source, if nothing changes it.
fn unchanged_address(
    conversion: &ItemConversion,
    change: &Change<IgnoredAny>,
) -> Option<TargetItemAddress> {
    if !conversion.keeps_addresses() {
        return None;
    }
    Some(TargetItemAddress { id: change.id.clone()?, partition_key: change.partition_key.clone()? })
}
