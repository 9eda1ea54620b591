//! What a page of changes does to the target: items written, items deleted.
//!
//! Owns that the last change of a place counts: the feed of all versions may tell several of one item, and its steps
//! are carried out side by side. Does not own the calls: see `run`.

use std::collections::HashMap;

use client::{Change, ChangeOperation, Item, Json, PartitionKey};
use serde::de::IgnoredAny;

use super::convert::{Conversion, Converted, RefusedItem, RefusedItems};
use super::error::CopyError;

/// One thing to do in the target.
pub(super) enum Step {
    Write(Converted),
    Delete(Place),
}

/// Where an item is in the target.
pub(super) struct Place {
    pub(super) id: String,
    pub(super) partition_key: PartitionKey,
}

/// The steps of one page.
#[derive(Default)]
pub(super) struct Steps {
    /// By place, so that a later one replaces an earlier one.
    by_place: HashMap<(String, String), Step>,
    /// Deletions of items whose place in the target is not known.
    pub(super) unplaced: u64,
}

impl Steps {
    /// The newest version of an item.
    pub(super) fn latest(
        &mut self,
        conversion: &Conversion,
        change: &Change<IgnoredAny>,
        refused: &mut RefusedItems,
    ) -> Result<(), CopyError> {
        match converted(conversion, change.current.as_ref())? {
            Some(Ok(item)) => self.put(Step::Write(item)),
            Some(Err(item)) => refused.add(item),
            None => {}
        }
        Ok(())
    }

    /// One of all versions, or a deletion.
    pub(super) fn version(
        &mut self,
        conversion: &Conversion,
        change: &Change<IgnoredAny>,
        refused: &mut RefusedItems,
    ) -> Result<(), CopyError> {
        let before = converted(conversion, change.previous.as_ref())?;
        let is_deletion =
            matches!(change.operation, Some(ChangeOperation::Delete | ChangeOperation::Expire));
        match before {
            Some(Ok(item)) => self.put(Step::Delete(item.place())),
            // It had no place, so it was not copied.
            Some(Err(_)) => {}
            None if is_deletion => match named(conversion, change) {
                Some(place) => self.put(Step::Delete(place)),
                None => self.unplaced += 1,
            },
            None => {}
        }
        // The new version is put after the old one is taken away, and in its place replaces that step.
        if is_deletion { Ok(()) } else { self.latest(conversion, change, refused) }
    }

    fn put(&mut self, step: Step) {
        let (id, key) = match &step {
            Step::Write(item) => (&item.id, &item.partition_key),
            Step::Delete(place) => (&place.id, &place.partition_key),
        };
        self.by_place.insert((key.to_json().to_string(), id.clone()), step);
    }

    pub(super) fn into_inner(self) -> impl Iterator<Item = Step> {
        self.by_place.into_values()
    }
}

impl Converted {
    fn place(self) -> Place {
        Place { id: self.id, partition_key: self.partition_key }
    }
}

/// An item as the target keeps it; none when there is no item.
fn converted(
    conversion: &Conversion,
    item: Option<&Item<IgnoredAny>>,
) -> Result<Option<Result<Converted, RefusedItem>>, CopyError> {
    let Some(item) = item else { return Ok(None) };
    let stored = Json::parse(item.text())
        .map_err(|error| CopyError::Plan(format!("an item of the source is no JSON: {error}")))?;
    Ok(Some(conversion.convert(&stored)))
}

/// Where an item is whose content the feed does not tell: where it was, if nothing changes on the way.
fn named(conversion: &Conversion, change: &Change<IgnoredAny>) -> Option<Place> {
    if !conversion.keeps_places() {
        return None;
    }
    Some(Place { id: change.id.clone()?, partition_key: change.partition_key.clone()? })
}
