//! MIN and MAX from the index.
//!
//! Two reads suffice: the first scalar from one end, and any one array or object, because a single one of those makes
//! the aggregate undefined.

use ::query::plan::condition::{ValueKind, ValueSet};
use model::IndexPathSegment;

use super::candidate::CandidateBatch;
use super::index_values::IndexValues;
use super::ordered::OrderedSource;
use super::page_reader::PageReader;
use super::term::{is_truncated_bound, ordered_path_terms};
use crate::error::Result;
use crate::query::target::PartitionSlice;

/// Reads one item from each of its sources.
pub(in crate::query) struct MinMaxSource {
    sources: Vec<OrderedSource>,
}

impl MinMaxSource {
    /// `None` if a truncated string bounds the values: the widened range could start with a value outside them.
    pub(super) fn new(
        slices: &[PartitionSlice],
        path: &[IndexPathSegment],
        values: &ValueSet,
        is_greatest: bool,
        index_values: &IndexValues,
    ) -> Option<Self> {
        let mut ranges = values.ranges().iter();
        if ranges.any(|range| is_truncated_bound(&range.low) || is_truncated_bound(&range.high)) {
            return None;
        }
        let others = ValueSet::kinds(&[ValueKind::Array, ValueKind::Object]);
        let scalars = ValueSet::intersection([values.clone(), others.other_values()]);
        let others = ValueSet::intersection([values.clone(), others]);
        let source = |values: &ValueSet| {
            let terms = ordered_path_terms(path, values, is_greatest);
            OrderedSource::new(slices, terms, Some(index_values.clone()), None)
        };
        // Read from the back: the scalars first, then one array or object, if any.
        Some(Self { sources: vec![source(&others), source(&scalars)] })
    }

    pub(in crate::query) async fn next(
        &mut self,
        reader: &mut PageReader,
    ) -> Result<CandidateBatch> {
        let Some(source) = self.sources.last_mut() else {
            return Ok(CandidateBatch { candidates: Vec::new(), reached: None, is_last: true });
        };
        let mut batch = source.next(reader, 1).await?;
        // One item that exists is enough.
        if batch.is_last || !batch.candidates.is_empty() {
            self.sources.pop();
        }
        batch.is_last = self.sources.is_empty();
        Ok(batch)
    }
}
