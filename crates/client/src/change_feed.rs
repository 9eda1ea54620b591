//! Types of the change feed.
//!
//! Owns what a caller asks for and gets. The mode and the operation are the engine's types. Does not own reading: see
//! `resource`.

use engine::change_feed::{ChangeFeedMode, ChangeOperation};
use model::{FeedRange, PartitionKey, TimestampSeconds};
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::error::Result;
use crate::item::Item;

/// Which changes to read, and from where.
#[derive(Clone, Debug)]
pub struct ChangeFeed {
    /// The part of the container.
    pub feed_range: FeedRange,
    /// Latest versions only, or all versions and deletes.
    pub mode: ChangeFeedMode,
    /// Where to start.
    pub start: ChangeStart,
    /// Approximate number of changes per page. A transaction is never split.
    pub items_max: Option<usize>,
}

/// Where a change feed starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeStart {
    /// At the first change. Not supported for all versions.
    Beginning,
    /// At the next change.
    Now,
    /// At the first change at this second or later. Not supported for all versions.
    Time(TimestampSeconds),
    /// Where an earlier page of the same feed range and mode ended.
    Continuation(String),
}

/// One change.
#[derive(Clone, Debug)]
pub struct Change<T> {
    /// What happened; `None` in the mode of latest versions, which does not report it.
    pub operation: Option<ChangeOperation>,
    /// The id of the item. Connected accounts report it for deletes only.
    pub id: Option<String>,
    /// The partition key. Connected accounts report it for deletes only.
    pub partition_key: Option<PartitionKey>,
    /// The item after the change; `None` for a delete.
    pub current: Option<Item<T>>,
    /// The item before the change, in the mode of all versions, if it was retained.
    pub previous: Option<Item<T>>,
}

/// One page of changes.
#[derive(Clone, Debug)]
pub struct ChangePage<T> {
    /// The changes. Those of one logical partition are in order.
    pub changes: Vec<Change<T>>,
    /// Where the next page starts, even if this one is empty.
    pub continuation: String,
    /// Whether another page may be available immediately.
    pub more: bool,
}

impl ChangeFeed {
    /// The latest versions of a whole container.
    #[must_use]
    pub fn latest(start: ChangeStart) -> Self {
        let mode = ChangeFeedMode::LatestVersion;
        Self { feed_range: FeedRange::Container, mode, start, items_max: None }
    }

    /// All versions and deletes of a whole container.
    #[must_use]
    pub fn all_versions(start: ChangeStart) -> Self {
        let mode = ChangeFeedMode::AllVersionsAndDeletes;
        Self { feed_range: FeedRange::Container, mode, start, items_max: None }
    }
}

impl Change<IgnoredAny> {
    /// Deserializes the items into this type.
    pub(crate) fn typed<T: DeserializeOwned>(&self) -> Result<Change<T>> {
        Ok(Change {
            operation: self.operation,
            id: self.id.clone(),
            partition_key: self.partition_key.clone(),
            current: self.current.as_ref().map(Item::typed).transpose()?,
            previous: self.previous.as_ref().map(Item::typed).transpose()?,
        })
    }
}

impl<T> Change<T> {
    /// The change without typed values.
    pub(crate) fn untyped(&self) -> Change<IgnoredAny> {
        Change {
            operation: self.operation,
            id: self.id.clone(),
            partition_key: self.partition_key.clone(),
            current: self.current.as_ref().map(Item::untyped),
            previous: self.previous.as_ref().map(Item::untyped),
        }
    }
}
