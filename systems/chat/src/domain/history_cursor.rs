//! Where a page of history begins.
//!
//! Messages are ordered by time, and those of one time by id. A cursor that names a time alone leaves out all messages
//! of that time; one that names a message continues right after it.

use super::UtcTimestamp;

/// A place in the history of a room. A page has what is before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryCursor {
    /// The time.
    pub timestamp: UtcTimestamp,
    /// Which messages of that very time are before it.
    pub ties: CursorTies,
}

/// Which messages of the very time of a cursor are before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CursorTies {
    /// None.
    Excluded,
    /// Those with a smaller id.
    Below(String),
    /// All.
    Included,
}

impl HistoryCursor {
    /// Strictly before a time.
    #[must_use]
    pub fn before(timestamp: UtcTimestamp) -> Self {
        Self { timestamp, ties: CursorTies::Excluded }
    }

    /// Right before a message.
    #[must_use]
    pub fn before_message(timestamp: UtcTimestamp, id: &str) -> Self {
        Self { timestamp, ties: CursorTies::Below(id.to_owned()) }
    }
}
