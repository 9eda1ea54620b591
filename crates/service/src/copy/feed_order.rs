//! Which change feed of the source is read next: that of the latest versions or that of all versions.
//!
//! Owns the alternation, as moves of the checkpoint. Does not own reading or writing pages.

use client::{ChangeFeed, ChangeFeedMode, ChangeStart};

use super::checkpoint::Checkpoint;
use super::target_write::TargetWrites;

/// One page of changes, converted.
pub(super) struct ConvertedPage {
    pub(super) writes: TargetWrites,
    pub(super) mode: ChangeFeedMode,
    pub(super) continuation: String,
    pub(super) is_last: bool,
}

/// The feed that is read next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FeedKind {
    Latest,
    Versions,
}

impl Checkpoint {
    pub(super) fn first_feed(&self) -> FeedKind {
        if self.is_backfilled { FeedKind::Versions } else { FeedKind::Latest }
    }

    /// The feed at its current position.
    pub(super) fn feed(&self, kind: FeedKind) -> ChangeFeed {
        let from = |token: &String| ChangeStart::Continuation(token.clone());
        match (kind, &self.versions, &self.continuation) {
            (FeedKind::Versions, Some(versions), _) => ChangeFeed::all_versions(from(versions)),
            // Also if versions were asked for but the source keeps none.
            (_, _, continuation) => {
                ChangeFeed::latest(continuation.as_ref().map_or(ChangeStart::Beginning, from))
            }
        }
    }

    /// Moves behind a page. Returns the feed to read next, and whether nothing is new.
    ///
    /// The feed of all versions is read alternately with the latest versions from the beginning, so that no version
    /// expires before it is read, and alone once the latest versions are complete. This may write an old version over a
    /// newer one; that is temporary, because the newer version follows later in the same feed.
    pub(super) fn advance(&mut self, page: &ConvertedPage) -> (FeedKind, bool) {
        let continuation = Some(page.continuation.clone());
        match page.mode {
            ChangeFeedMode::LatestVersion => {
                self.continuation = continuation;
                if self.versions.is_none() {
                    return (FeedKind::Latest, page.is_last);
                }
                self.is_backfilled |= page.is_last;
                (FeedKind::Versions, false)
            }
            ChangeFeedMode::AllVersionsAndDeletes => {
                self.versions = continuation;
                let next = if page.is_last { self.first_feed() } else { FeedKind::Versions };
                (next, page.is_last && self.is_backfilled)
            }
        }
    }
}
