//! What a reader of the change feed asks for and gets.
//!
//! Owns the plain data. Does not own how changes are found.

use model::{Lsn, PartitionKey, TimestampSeconds};

use super::position::ChangeFeedPosition;
use crate::key_layout::ItemKey;
use crate::outcome::Item;

/// Which changes are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeFeedMode {
    /// The newest version of every item that changed; no deletions.
    LatestVersion,
    /// Every version and every deletion within the retention.
    AllVersionsAndDeletes,
}

/// From where changes are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeFeedStart {
    /// From the first change.
    Beginning,
    /// From the next change.
    Now,
    /// From the first change at that second or later.
    Time(TimestampSeconds),
    /// From where an earlier page ended.
    Continuation(String),
    /// From positions the caller knows.
    Position(ChangeFeedPosition),
}

/// What happened to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeOperation {
    /// It was created.
    Create,
    /// It was replaced or patched.
    Replace,
    /// It was deleted.
    Delete,
    /// Its time to live ended.
    Expire,
}

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What happened.
    pub operation: ChangeOperation,
    /// Which item, as it is stored: most readers look at the item itself and never ask.
    pub(super) key: ItemKey,
    /// The item after the change; none for a deletion.
    pub current: Option<Item>,
    /// The item before the change, in the mode of all versions, if it is still kept.
    pub previous: Option<Item>,
    /// Position of the transaction.
    pub lsn: Lsn,
    /// Position of the version before, zero when there was none.
    pub previous_lsn: Lsn,
    /// Second of the transaction.
    pub timestamp: TimestampSeconds,
}

impl Change {
    /// Which item.
    #[must_use]
    pub fn id(&self) -> &str {
        self.key.id()
    }

    /// In which logical partition.
    #[must_use]
    pub fn partition_key(&self) -> PartitionKey {
        self.key.partition_key()
    }
}

/// One page of changes.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeFeedPage {
    /// Changes of one physical partition in the order of their lsn. Empty without `more`: nothing new right now.
    pub changes: Vec<Change>,
    /// Where the next page starts.
    pub position: ChangeFeedPosition,
    /// The same as an opaque text for this container.
    pub continuation: String,
    /// Whether another page may be had at once.
    pub more: bool,
}
