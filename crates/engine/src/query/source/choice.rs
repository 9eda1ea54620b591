//! The source of a query.
//!
//! Owns the choice among the kinds of access, by the plan and by the place the query goes on from.

use super::candidate::Batch;
use super::reading::Reading;
use super::scan::ItemScan;
use crate::error::Result;
use crate::query::part::Piece;
use crate::query::refusal::token_refused;
use crate::query::token::Place;

/// Gives the candidates of a query.
pub(in crate::query) enum Source {
    Scan(ItemScan),
}

impl Source {
    pub(in crate::query) fn new(pieces: &[Piece], place: &Place) -> Result<Self> {
        match place {
            Place::Start => Ok(Self::Scan(ItemScan::new(pieces, None))),
            Place::Scan(key) => Ok(Self::Scan(ItemScan::new(pieces, Some(key)))),
            Place::Lookup { .. } | Place::Ordered(_) | Place::Rows(_) => {
                Err(token_refused("its place is of another kind"))
            }
        }
    }

    /// Some candidates; `wanted` is how many are hoped for.
    pub(in crate::query) async fn next(
        &mut self,
        reading: &mut Reading,
        wanted: usize,
    ) -> Result<Batch> {
        match self {
            Self::Scan(scan) => scan.next(reading, wanted).await,
        }
    }
}
