//! What a reader of the change feed gets.
//!
//! Owns one change and the page. Does not own how changes are found (`scan`) or stored (`record`).

use model::{Lsn, PartitionKey, TimestampSeconds};

use super::position::ChangeFeedPosition;
use crate::key_layout::{ChangePosition, ItemKey, ItemKeyView};
use crate::outcome::Item;
use crate::record::{LoggedItem, Removal};

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

/// One change. Its parts are read from the stored form when they are asked for: most readers look at the item alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    told: Told,
    lsn: Lsn,
    previous: Option<Box<Item>>,
}

#[derive(Clone, Debug, PartialEq)]
enum Told {
    Written(LoggedItem),
    Removed(Box<Removed>),
}

/// An item that is gone since.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Removed {
    pub(super) key: ItemKey,
    pub(super) removal: Removal,
    pub(super) previous: ChangePosition,
    pub(super) timestamp: TimestampSeconds,
}

impl Change {
    pub(super) fn written(item: LoggedItem, lsn: Lsn) -> Self {
        Self { told: Told::Written(item), lsn, previous: None }
    }

    pub(super) fn removed(removed: Removed, lsn: Lsn) -> Self {
        Self { told: Told::Removed(Box::new(removed)), lsn, previous: None }
    }

    pub(super) fn set_previous(&mut self, previous: Option<Item>) {
        self.previous = previous.map(Box::new);
    }

    /// Where the version before this change is kept.
    pub(super) fn previous_position(&self) -> ChangePosition {
        match &self.told {
            Told::Written(item) => item.previous(self.lsn),
            Told::Removed(removed) => removed.previous,
        }
    }

    /// What happened.
    #[must_use]
    pub fn operation(&self) -> ChangeOperation {
        match &self.told {
            Told::Written(item) if item.previous(self.lsn).lsn == Lsn::ZERO => {
                ChangeOperation::Create
            }
            Told::Written(_) => ChangeOperation::Replace,
            Told::Removed(removed) => match removed.removal {
                Removal::Deleted => ChangeOperation::Delete,
                Removal::Expired => ChangeOperation::Expire,
            },
        }
    }

    /// Which item.
    #[must_use]
    pub fn id(&self) -> &str {
        self.key().id()
    }

    /// In which logical partition.
    #[must_use]
    pub fn partition_key(&self) -> PartitionKey {
        self.key().partition_key()
    }

    fn key(&self) -> ItemKeyView<'_> {
        match &self.told {
            Told::Written(item) => item.key(),
            Told::Removed(removed) => removed.key.view(),
        }
    }

    /// The item after the change; none for a deletion. It shares the bytes of the change.
    #[must_use]
    pub fn current(&self) -> Option<Item> {
        match &self.told {
            Told::Written(item) => Some(Item::from_change(item, self.lsn)),
            Told::Removed(_) => None,
        }
    }

    /// The JSON text of the item after the change, with system properties; none for a deletion.
    #[must_use]
    pub fn current_text(&self) -> Option<&[u8]> {
        match &self.told {
            Told::Written(item) => Some(item.text()),
            Told::Removed(_) => None,
        }
    }

    /// The item before the change, in the mode of all versions, if it is still kept.
    #[must_use]
    pub fn previous(&self) -> Option<&Item> {
        self.previous.as_deref()
    }

    /// Position of the transaction.
    #[must_use]
    pub fn lsn(&self) -> Lsn {
        self.lsn
    }

    /// Position of the version before, zero when there was none.
    #[must_use]
    pub fn previous_lsn(&self) -> Lsn {
        self.previous_position().lsn
    }

    /// Second of the transaction.
    #[must_use]
    pub fn timestamp(&self) -> TimestampSeconds {
        match &self.told {
            Told::Written(item) => item.timestamp(),
            Told::Removed(removed) => removed.timestamp,
        }
    }
}

/// One page of changes.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeFeedPage {
    /// Changes of one physical partition in the order of their lsn. Empty without `more`: nothing new right now. Empty
    /// with `more`: what was looked at lies outside the feed range.
    pub changes: Vec<Change>,
    /// Where the next page starts.
    pub position: ChangeFeedPosition,
    /// The same as an opaque text for this container.
    pub continuation: String,
    /// Whether another page may be had at once.
    pub more: bool,
}
