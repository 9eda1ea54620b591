//! What a reader of the change feed gets.
//!
//! Owns one change and the page. Does not own how changes are found (`scan`) or stored (`record`).

use model::{Lsn, PartitionKey, TimestampSeconds};

use super::position::ChangeFeedPosition;
use crate::key_layout::{ChangePosition, ItemKey, ItemKeyView};
use crate::record::{LoggedItem, Removal};
use crate::response::ItemResource;

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

/// One change. Its parts are decoded from the stored form when they are asked for: most readers use the item alone.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeRecord {
    content: ChangeContent,
    lsn: Lsn,
    previous: Option<Box<ItemResource>>,
}

#[derive(Clone, Debug, PartialEq)]
enum ChangeContent {
    Written(LoggedItem),
    Removed(Box<RemovedItem>),
}

/// A deleted or expired item.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RemovedItem {
    pub(super) key: ItemKey,
    pub(super) removal: Removal,
    pub(super) previous: ChangePosition,
    pub(super) timestamp: TimestampSeconds,
}

impl ChangeRecord {
    pub(super) fn written(item: LoggedItem, lsn: Lsn) -> Self {
        Self { content: ChangeContent::Written(item), lsn, previous: None }
    }

    pub(super) fn removed(removed: RemovedItem, lsn: Lsn) -> Self {
        Self { content: ChangeContent::Removed(Box::new(removed)), lsn, previous: None }
    }

    pub(super) fn set_previous(&mut self, previous: Option<ItemResource>) {
        self.previous = previous.map(Box::new);
    }

    /// Position of the version before this change.
    pub(super) fn previous_position(&self) -> ChangePosition {
        match &self.content {
            ChangeContent::Written(item) => item.previous(self.lsn),
            ChangeContent::Removed(removed) => removed.previous,
        }
    }

    /// What happened.
    #[must_use]
    pub fn operation(&self) -> ChangeOperation {
        match &self.content {
            // The first lsn of a partition is 1, so zero means that there was no version before.
            ChangeContent::Written(item) if item.previous(self.lsn).lsn == Lsn::ZERO => {
                ChangeOperation::Create
            }
            ChangeContent::Written(_) => ChangeOperation::Replace,
            ChangeContent::Removed(removed) => match removed.removal {
                Removal::Deleted => ChangeOperation::Delete,
                Removal::Expired => ChangeOperation::Expire,
            },
        }
    }

    /// Id of the item.
    #[must_use]
    pub fn id(&self) -> &str {
        self.key().id()
    }

    /// Partition key of the item.
    #[must_use]
    pub fn partition_key(&self) -> PartitionKey {
        self.key().partition_key()
    }

    fn key(&self) -> ItemKeyView<'_> {
        match &self.content {
            ChangeContent::Written(item) => item.key(),
            ChangeContent::Removed(removed) => removed.key.view(),
        }
    }

    /// The item after the change; none for a deletion. It shares the bytes of the change.
    #[must_use]
    pub fn current(&self) -> Option<ItemResource> {
        match &self.content {
            // The lsn is not in the stored change: it is its key in the log.
            ChangeContent::Written(item) => Some(ItemResource::from_change(item, self.lsn)),
            ChangeContent::Removed(_) => None,
        }
    }

    /// The JSON text of the item after the change, with system properties; none for a deletion.
    #[must_use]
    pub fn current_text(&self) -> Option<&[u8]> {
        match &self.content {
            ChangeContent::Written(item) => Some(item.text()),
            ChangeContent::Removed(_) => None,
        }
    }

    /// The item before the change, if the mode is all versions and it is still kept.
    #[must_use]
    pub fn previous(&self) -> Option<&ItemResource> {
        self.previous.as_deref()
    }

    /// Position of the transaction.
    #[must_use]
    pub fn lsn(&self) -> Lsn {
        self.lsn
    }

    /// Position of the version before; zero if there was none.
    #[must_use]
    pub fn previous_lsn(&self) -> Lsn {
        self.previous_position().lsn
    }

    /// Second of the transaction.
    #[must_use]
    pub fn timestamp(&self) -> TimestampSeconds {
        match &self.content {
            ChangeContent::Written(item) => item.timestamp(),
            ChangeContent::Removed(removed) => removed.timestamp,
        }
    }
}

/// One page of changes.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeFeedPage {
    /// Changes of one physical partition in the order of their lsn. Empty without `more`: there is nothing new. Empty
    /// with `more`: everything that was read lies outside the feed range.
    pub changes: Vec<ChangeRecord>,
    /// Where the next page starts.
    pub position: ChangeFeedPosition,
    /// The same position as an opaque text.
    pub continuation: String,
    /// The same position as one lsn; none if the parts of the feed range have positions of their own.
    pub lsn: Option<Lsn>,
    /// Whether there may be another page now.
    pub more: bool,
}
