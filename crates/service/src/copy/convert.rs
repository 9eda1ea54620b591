//! One item of the source as the target keeps it.
//!
//! Owns the steps: system properties off, the transform, the new partition key; and the list of items that have no
//! place in the target. Does not own what a transform computes.

use std::fmt;

use client::{Json, PartitionKey, PartitionKeyDefinition, PartitionKeyValue};
use model::{Object, is_system_property};

/// How many refused items are named; all are counted.
const NAMED_MAX: usize = 20;

/// Changes an item on its way: the same item must always come out the same.
pub trait Transform: Send + Sync {
    /// The item as it is to be written.
    ///
    /// # Errors
    /// Why it cannot be computed for this item.
    fn apply(&self, item: Json) -> Result<Json, String>;

    /// What it does, as text: a checkpoint belongs to one transform.
    fn description(&self) -> String;
}

/// Items are copied as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unchanged;

impl Transform for Unchanged {
    fn apply(&self, item: Json) -> Result<Json, String> {
        Ok(item)
    }

    fn description(&self) -> String {
        String::new()
    }
}

/// An item of the source that has no place in the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedItem {
    /// Its id in the source.
    pub id: String,
    /// Its partition key in the source, as JSON.
    pub partition_key: String,
    /// Why.
    pub reason: String,
}

/// All such items of a run: their number, and the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefusedItems {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub first: Vec<RefusedItem>,
}

/// An item ready to be written.
pub(super) struct Converted {
    pub(super) id: String,
    pub(super) partition_key: PartitionKey,
    pub(super) item: Json,
}

/// From the source's definition to the target's.
pub(super) struct Conversion {
    pub(super) from: PartitionKeyDefinition,
    pub(super) to: PartitionKeyDefinition,
    pub(super) transform: std::sync::Arc<dyn Transform>,
}

impl RefusedItems {
    pub(super) fn add(&mut self, item: RefusedItem) {
        self.count += 1;
        if self.first.len() < NAMED_MAX {
            self.first.push(item);
        }
    }
}

impl fmt::Display for RefusedItems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(formatter, "one item has no place in the target")?,
            count => write!(formatter, "{count} items have no place in the target")?,
        }
        for RefusedItem { id, partition_key, reason } in &self.first {
            write!(formatter, "\n  '{id}' in {partition_key}: {reason}")?;
        }
        match self.count.saturating_sub(self.first.len() as u64) {
            0 => Ok(()),
            more => write!(formatter, "\n  and {more} more"),
        }
    }
}

impl Conversion {
    /// Whether every item has the same id and partition key on both sides.
    pub(super) fn keeps_places(&self) -> bool {
        self.from == self.to && self.transform.description().is_empty()
    }

    /// The item for the target.
    pub(super) fn convert(&self, stored: &Json) -> Result<Converted, RefusedItem> {
        let refuse = |reason: String| RefusedItem {
            id: id_of(stored).unwrap_or("?").to_owned(),
            partition_key: self.from.extract(stored).to_json().to_string(),
            reason,
        };
        let item = self.transform.apply(own(stored)).map_err(refuse)?;
        let id = id_of(&item).ok_or_else(|| refuse("it has no 'id' that is text".to_owned()))?;
        let id = id.to_owned();
        let partition_key = self.to.extract(&item);
        if self.from != self.to {
            self.refuse_undefined(&partition_key).map_err(refuse)?;
        }
        Ok(Converted { id, partition_key, item })
    }

    /// Under a new key, an item without its property is a mistake; under the old key it is as it always was.
    fn refuse_undefined(&self, key: &PartitionKey) -> Result<(), String> {
        let mut levels = self.to.paths().iter().zip(key.components());
        match levels.find(|(_, value)| matches!(value, PartitionKeyValue::Undefined)) {
            None => Ok(()),
            Some((path, _)) => Err(format!("it has no text, number, boolean or null at {path}")),
        }
    }
}

/// What an endpoint adds to the items of a change feed, and to no others.
const FEED_PROPERTY: &str = "_lsn";

/// An item without what an account adds to it.
pub(super) fn own(stored: &Json) -> Json {
    let mut own = Object::new();
    for (name, value) in stored.as_object().into_iter().flat_map(Object::iter) {
        if !is_system_property(name) && name != FEED_PROPERTY {
            own.insert(name, value.clone());
        }
    }
    Json::Object(own)
}

fn id_of(item: &Json) -> Option<&str> {
    item.get("id").and_then(Json::as_str)
}
