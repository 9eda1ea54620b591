//! What a reader of the change feed asks for.
//!
//! Owns the operation as plain data. Does not own reading: see `read`.

use model::{FeedRange, Lsn, TimestampSeconds};

use super::position::ChangeFeedPosition;
use crate::operation::ContainerLink;

/// Reads changes.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadChangeFeed {
    /// The container.
    pub container: ContainerLink,
    /// Which part of the container.
    pub feed_range: FeedRange,
    /// Newest versions only, or every version and deletion.
    pub mode: ChangeFeedMode,
    /// Where to start.
    pub start: ChangeFeedStart,
    /// The maximum number of changes in a page.
    pub items_max: Option<usize>,
}

/// Which changes are returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeFeedMode {
    /// The newest version of every item that changed; no deletions.
    LatestVersion,
    /// Every version and every deletion within the retention.
    AllVersionsAndDeletes,
}

/// The first change that is returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeFeedStart {
    /// The first change of all.
    Beginning,
    /// The next change.
    Now,
    /// The first change at that second or later.
    Time(TimestampSeconds),
    /// The first change after an earlier page.
    Continuation(String),
    /// The first change after this lsn, in every physical partition of the feed range. It stays valid across splits
    /// and merges, because copies keep their lsns.
    Lsn(Lsn),
    /// The first change after positions that the caller has kept.
    Position(ChangeFeedPosition),
}
