//! Reads the terms of one branch of a lookup in one slice, in the order of values.

use std::collections::VecDeque;

use crate::error::Result;
use crate::key_layout::TermHit;
use crate::query::continuation::TermPosition;
use crate::query::source::intersection::IntersectionFilter;
use crate::query::source::page_reader::PageReader;
use crate::query::source::term::{LookupBranch, TermIterator};
use crate::query::target::PartitionSlice;

/// The most terms that are read at once.
pub(super) const TERMS_AT_ONCE: usize = 1_000;

/// Reads one branch of a slice in the order of values.
pub(super) struct BranchReader {
    pub(super) branch: usize,
    pub(super) iterator: TermIterator,
    pub(super) filter: IntersectionFilter,
    /// Terms that were read before those of the iterator.
    pub(super) buffer: VecDeque<TermHit>,
}

impl BranchReader {
    pub(super) async fn open(
        reader: &mut PageReader,
        slice: &PartitionSlice,
        (number, branch): (usize, &LookupBranch),
        after: Option<&TermPosition>,
    ) -> Result<Self> {
        Ok(Self {
            branch: number,
            iterator: TermIterator::new(slice, &branch.terms, after),
            filter: IntersectionFilter::open(reader, slice, branch, after).await?,
            buffer: VecDeque::new(),
        })
    }

    pub(super) async fn next(
        &mut self,
        reader: &mut PageReader,
        wanted: usize,
    ) -> Result<Vec<TermHit>> {
        if !self.buffer.is_empty() {
            return Ok(self.buffer.drain(..wanted.min(self.buffer.len())).collect());
        }
        match self.filter.next_driver_hits(wanted) {
            Some(hits) => Ok(hits),
            None => self.iterator.next(reader, wanted).await,
        }
    }

    /// Reads terms into the buffer; returns whether these are all, and at most as many as `terms_max`.
    pub(super) async fn read_all(
        &mut self,
        reader: &mut PageReader,
        terms_max: usize,
    ) -> Result<bool> {
        loop {
            if self.filter.driver_exhausted().unwrap_or_else(|| self.iterator.is_at_end()) {
                return Ok(true);
            }
            let left = terms_max.saturating_sub(self.buffer.len());
            if left == 0 {
                // Known without a read: what is left are empty ranges.
                return Ok(self.filter.driver_exhausted().is_none() && self.iterator.has_ended());
            }
            let wanted = left.min(TERMS_AT_ONCE);
            let hits = match self.filter.next_driver_hits(wanted) {
                Some(hits) => hits,
                None => self.iterator.next(reader, wanted).await?,
            };
            self.buffer.extend(hits);
        }
    }

    pub(super) fn is_exhausted(&self) -> bool {
        let is_read = self.filter.driver_exhausted().unwrap_or_else(|| self.iterator.is_at_end());
        is_read && self.buffer.is_empty()
    }
}
