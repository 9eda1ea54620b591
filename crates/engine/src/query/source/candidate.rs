//! What sources give.
//!
//! Owns the candidate: an item, or what an index knows of it, with the place after it.

use model::Json;

use crate::item::ItemRecord;
use crate::query::token::Place;

/// An item that may be in the answer.
pub(in crate::query) struct Candidate {
    pub(in crate::query) ordinal: u64,
    pub(in crate::query) content: Content,
    /// Up to and including this item.
    pub(in crate::query) place: Place,
}

/// What is known of an item.
pub(in crate::query) enum Content {
    /// All of it.
    Record(ItemRecord),
    /// The values that the query looks at, taken from the index.
    Indexed(Json),
}

/// Some candidates, in order.
pub(in crate::query) struct Batch {
    pub(in crate::query) candidates: Vec<Candidate>,
    /// Up to and including everything that was looked at; none when nothing was.
    pub(in crate::query) reached: Option<Place>,
    /// Whether nothing follows.
    pub(in crate::query) is_last: bool,
}
