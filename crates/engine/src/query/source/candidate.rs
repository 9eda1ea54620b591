//! What sources return: candidate items, each with the continuation position after it.

use model::Json;

use crate::query::continuation::ContinuationPosition;
use crate::record::ItemRecord;

/// An item that may match the query.
pub(in crate::query) struct Candidate {
    pub(in crate::query) ordinal: u64,
    pub(in crate::query) content: ItemContent,
    /// The position after this item.
    pub(in crate::query) position: ContinuationPosition,
}

/// What is known about an item.
pub(in crate::query) enum ItemContent {
    /// The stored item.
    Record(ItemRecord),
    /// The values the query uses, decoded from index terms.
    Indexed(Json),
}

/// Consecutive candidates of a source.
pub(in crate::query) struct CandidateBatch {
    pub(in crate::query) candidates: Vec<Candidate>,
    /// The position after everything that was read, including rejected entries; `None` if nothing was read.
    pub(in crate::query) reached: Option<ContinuationPosition>,
    /// Whether the source has no more candidates.
    pub(in crate::query) is_last: bool,
}
