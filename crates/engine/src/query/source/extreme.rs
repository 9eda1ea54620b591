//! The least or the greatest value at a path.
//!
//! Owns the two looks into the index that MIN and MAX need: at the first scalar from one end, and at one array or
//! object anywhere, because a single one of those leaves the aggregate without an answer.

use ::query::plan::condition::{ValueKind, ValueSet};
use model::IndexPathSegment;

use super::candidate::Batch;
use super::index_values::IndexValues;
use super::ordered::OrderedWalk;
use super::reading::Reading;
use super::term::{is_long_cut, ordered_path_terms};
use crate::error::Result;
use crate::query::part::Piece;

/// The walks still to be looked into.
pub(in crate::query) struct ExtremeWalk {
    walks: Vec<OrderedWalk>,
}

impl ExtremeWalk {
    /// None when a long string bounds the values: then the first term found need not be one of them.
    pub(super) fn new(
        pieces: &[Piece],
        path: &[IndexPathSegment],
        values: &ValueSet,
        is_greatest: bool,
        held: &IndexValues,
    ) -> Option<Self> {
        if values.ranges().iter().any(|range| is_long_cut(&range.low) || is_long_cut(&range.high)) {
            return None;
        }
        let others = ValueSet::kinds(&[ValueKind::Array, ValueKind::Object]);
        let scalars = ValueSet::intersection([values.clone(), others.other_values()]);
        let others = ValueSet::intersection([values.clone(), others]);
        let walk = |values: &ValueSet| {
            let terms = ordered_path_terms(path, values, is_greatest);
            OrderedWalk::new(pieces, terms, Some(held.clone()), None)
        };
        Some(Self { walks: vec![walk(&others), walk(&scalars)] })
    }

    pub(in crate::query) async fn next(&mut self, reading: &mut Reading) -> Result<Batch> {
        let Some(walk) = self.walks.last_mut() else {
            return Ok(Batch { candidates: Vec::new(), reached: None, is_last: true });
        };
        let mut batch = walk.next(reading, 1).await?;
        // One that is alive is enough.
        if batch.is_last || !batch.candidates.is_empty() {
            self.walks.pop();
        }
        batch.is_last = self.walks.is_empty();
        Ok(batch)
    }
}
