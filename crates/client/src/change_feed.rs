//! The change feed of a container, page by page.
//!
//! Owns the call and its types. The processor stands on it.

use model::{FeedRange, PartitionKey, TimestampSeconds};
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::answer::Answer;
use crate::call::{Body, OneChange, Request};
use crate::error::Result;
use crate::item::Item;
use crate::resource::Container;

/// Which changes to read, from where.
#[derive(Clone, Debug)]
pub struct ChangeFeed {
    /// Which part of the container.
    pub part: FeedRange,
    /// Newest versions only, or every version and deletion.
    pub mode: ChangeMode,
    /// From where.
    pub start: ChangeStart,
    /// Changes of a page, about: a transaction is never cut.
    pub items_max: Option<usize>,
}

/// Which changes are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeMode {
    /// The newest version of every item that changed; no deletions.
    LatestVersion,
    /// Every version and every deletion within the retention.
    AllVersionsAndDeletes,
}

/// From where changes are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeStart {
    /// From the first change; not for all versions.
    Beginning,
    /// From the next change.
    Now,
    /// From the first change at that second or later; not for all versions.
    Time(TimestampSeconds),
    /// From where an earlier page of the same part and mode ended.
    Continuation(String),
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
#[derive(Clone, Debug)]
pub struct Change<T> {
    /// What happened; none in the feed of newest versions, which does not tell.
    pub operation: Option<ChangeOperation>,
    /// Which item; some accounts tell it of deletions only.
    pub id: Option<String>,
    /// In which logical partition; some accounts tell it of deletions only.
    pub partition_key: Option<PartitionKey>,
    /// The item after the change; none for a deletion.
    pub current: Option<Item<T>>,
    /// The item before the change, in the mode of all versions, if it is kept.
    pub previous: Option<Item<T>>,
}

/// One page of changes.
#[derive(Clone, Debug)]
pub struct ChangePage<T> {
    /// The changes; those of one logical partition in their order.
    pub changes: Vec<Change<T>>,
    /// Where the next page starts, also when this one is empty.
    pub continuation: String,
    /// Whether another page may be had at once.
    pub more: bool,
}

impl ChangeFeed {
    /// The newest versions of a whole container.
    #[must_use]
    pub fn latest(start: ChangeStart) -> Self {
        let mode = ChangeMode::LatestVersion;
        Self { part: FeedRange::Container, mode, start, items_max: None }
    }

    /// Every version and deletion of a whole container.
    #[must_use]
    pub fn all_versions(start: ChangeStart) -> Self {
        let mode = ChangeMode::AllVersionsAndDeletes;
        Self { part: FeedRange::Container, mode, start, items_max: None }
    }
}

impl Container {
    /// One page of changes.
    ///
    /// # Errors
    /// `BadRequest` for a start the mode does not have or a foreign continuation, `Unexpected` for an item that is no
    /// `T`, `NotFound` for a missing container.
    pub async fn changes<T: DeserializeOwned>(
        &self,
        feed: ChangeFeed,
    ) -> Result<Answer<ChangePage<T>>> {
        let request = Request::ReadChanges {
            container: self.link(),
            part: feed.part,
            mode: feed.mode,
            start: feed.start,
            items_max: feed.items_max,
        };
        self.account().send(&request).await?.answer(|body| match body {
            Body::Changes { changes, continuation, more } => {
                let changes = changes.into_iter().map(typed).collect::<Result<_>>()?;
                Ok(ChangePage { changes, continuation, more })
            }
            other => Err(other.unexpected("changes")),
        })
    }
}

impl Change<IgnoredAny> {
    /// The change with items of this type.
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
    /// The change with the texts of its items alone.
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

fn typed<T: DeserializeOwned>(change: OneChange) -> Result<Change<T>> {
    Ok(Change {
        operation: change.operation,
        id: change.id,
        partition_key: change.partition_key,
        current: change.current.map(Item::from_text).transpose()?,
        previous: change.previous.map(Item::from_text).transpose()?,
    })
}
