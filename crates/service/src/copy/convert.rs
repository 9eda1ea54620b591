//! Conversion of an item of the source for the target.
//!
//! Owns the steps: remove system properties, apply the transform, extract the new partition key; and the list of
//! rejected items. Does not own what a transform computes.

use std::fmt;

use client::{Json, PartitionKey, PartitionKeyDefinition, PartitionKeyValue};
use model::{Object, is_system_property};

/// Maximum number of rejected items that are listed; all are counted.
const LISTED_MAX: usize = 20;

/// Changes items while they are copied. It must be deterministic: a repeated page must write the same items.
pub trait Transform: Send + Sync {
    /// The item to write.
    ///
    /// # Errors
    /// Why this item cannot be transformed.
    fn apply(&self, item: Json) -> Result<Json, String>;

    /// Describes the transform. The text is part of the checkpoint, which belongs to one transform.
    fn description(&self) -> String;
}

/// Copies items unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdentityTransform;

impl Transform for IdentityTransform {
    fn apply(&self, item: Json) -> Result<Json, String> {
        Ok(item)
    }

    fn description(&self) -> String {
        String::new()
    }
}

/// An item of the source that the target cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedItem {
    /// Its id in the source.
    pub id: String,
    /// Its partition key in the source, as JSON.
    pub partition_key: String,
    /// Why.
    pub reason: String,
}

/// The rejected items of a run: their number, and the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RejectedItems {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub first: Vec<RejectedItem>,
}

/// An item ready to be written.
pub(super) struct ConvertedItem {
    pub(super) id: String,
    pub(super) partition_key: PartitionKey,
    pub(super) item: Json,
}

/// Converts from the partition key definition of the source to that of the target.
pub(super) struct ItemConversion {
    pub(super) from: PartitionKeyDefinition,
    pub(super) to: PartitionKeyDefinition,
    pub(super) transform: std::sync::Arc<dyn Transform>,
}

impl RejectedItems {
    pub(super) fn add(&mut self, item: RejectedItem) {
        self.count += 1;
        if self.first.len() < LISTED_MAX {
            self.first.push(item);
        }
    }
}

impl fmt::Display for RejectedItems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(formatter, "one item has no place in the target")?,
            count => write!(formatter, "{count} items have no place in the target")?,
        }
        for RejectedItem { id, partition_key, reason } in &self.first {
            write!(formatter, "\n  '{id}' in {partition_key}: {reason}")?;
        }
        match self.count.saturating_sub(self.first.len() as u64) {
            0 => Ok(()),
            more => write!(formatter, "\n  and {more} more"),
        }
    }
}

impl ItemConversion {
    /// Whether every item has the same id and partition key on both sides.
    pub(super) fn keeps_addresses(&self) -> bool {
        // A transform without a description is the identity.
        self.from == self.to && self.transform.description().is_empty()
    }

    /// The item for the target.
    pub(super) fn convert(&self, stored: &Json) -> Result<ConvertedItem, RejectedItem> {
        let reject = |reason: String| RejectedItem {
            id: id_of(stored).unwrap_or("?").to_owned(),
            partition_key: self.from.extract(stored).to_json().to_string(),
            reason,
        };
        // Before the transform: it must not see or copy what belongs to the source account.
        let item = self.transform.apply(strip_system_properties(stored)).map_err(reject)?;
        let id = id_of(&item).ok_or_else(|| reject("it has no 'id' that is text".to_owned()))?;
        let id = id.to_owned();
        // After the transform, which may compute the new key.
        let partition_key = self.to.extract(&item);
        if self.from != self.to {
            self.reject_undefined(&partition_key).map_err(reject)?;
        }
        Ok(ConvertedItem { id, partition_key, item })
    }

    /// Rejects an item without a value for a new partition key. With the old key the value may be undefined, as it was
    /// in the source.
    fn reject_undefined(&self, key: &PartitionKey) -> Result<(), String> {
        let mut levels = self.to.paths().iter().zip(key.components());
        match levels.find(|(_, value)| matches!(value, PartitionKeyValue::Undefined)) {
            None => Ok(()),
            Some((path, _)) => Err(format!("it has no text, number, boolean or null at {path}")),
        }
    }
}

/// The property that an endpoint adds to the items of a change feed, and only there.
const FEED_PROPERTY: &str = "_lsn";

/// An item without the properties that an account adds.
pub(super) fn strip_system_properties(stored: &Json) -> Json {
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
