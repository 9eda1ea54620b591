//! Items found by a lookup of ranges of values, slice after slice.
//!
//! Reads each slice branch by branch, in the order of values. An item with several matching terms is returned at the
//! first of them: in the first branch that matches it, at the smallest value. The continuation position is an epk
//! range, a branch and a term; it is valid as long as the query has the same lookup.
//!
//! A slice whose terms are not more than the page wants is sorted in the order of creation instead, which costs
//! nothing: a small result has the order of the service. If a page ends within it, the next one reads these terms
//! again.

use std::collections::VecDeque;
use std::sync::Arc;

use model::EpkRange;
use storage::Shard;

use super::branch_reader::{BranchReader, TERMS_AT_ONCE};
use super::emission::{filter_by_test, should_emit};
use crate::creation_order::{CreationPosition, ReadRange};
use crate::error::Result;
use crate::key_layout::TermHit;
use crate::query::continuation::{ContinuationPosition, LookupPosition, TermPosition};
use crate::query::error::invalid_token;
use crate::query::source::candidate::{Candidate, CandidateBatch};
use crate::query::source::index_values::IndexValues;
use crate::query::source::item_loader::ItemLoader;
use crate::query::source::page_reader::PageReader;
use crate::query::source::term::LookupBranch;
use crate::query::target::PartitionSlice;

/// The most terms of a slice that are sorted when a page in the order of creation goes on: items may have been added.
const RESUMED_TERMS_MAX: usize = 100_000;

/// Where a lookup begins.
#[derive(Clone, Copy)]
pub(in crate::query::source) enum LookupStart<'position> {
    Beginning,
    /// In the order of values.
    Values(&'position [LookupPosition]),
    /// In the order of creation.
    Created(&'position CreationPosition),
}

/// Reads the slices of a query by a lookup.
pub(in crate::query) struct LookupSource {
    branches: Vec<LookupBranch>,
    pending: VecDeque<PendingSlice>,
    current: Option<ActiveSlice>,
    /// The physical partition that was read last.
    last_shard: Option<Shard>,
    loader: ItemLoader,
}

/// A slice still to be read, and where to start.
struct PendingSlice {
    slice: PartitionSlice,
    start: SliceStart,
}

enum SliceStart {
    Beginning,
    /// In a branch, after a term.
    Term(usize, TermPosition),
    /// At the beginning of a branch.
    Branch(usize),
    /// After an ordinal, in the order of creation.
    Ordinal(u64),
}

/// The slice being read.
struct ActiveSlice {
    slice: PartitionSlice,
    order: SliceOrder,
}

enum SliceOrder {
    Values(Box<BranchReader>),
    /// The rest of its items, sorted.
    Created(VecDeque<TermHit>),
}

impl LookupSource {
    pub(in crate::query::source) fn new(
        slices: &[PartitionSlice],
        branches: Vec<LookupBranch>,
        values: Option<IndexValues>,
        start: LookupStart<'_>,
    ) -> Self {
        let pending = slices.iter().flat_map(|slice| remaining_slices(slice, start)).collect();
        // Whether an earlier branch or term has returned an item can be decided from the loaded item only.
        let is_unique = match branches.as_slice() {
            [only] => !only.condition.is_multi_valued(),
            _ => false,
        };
        let loader = ItemLoader::new(values.filter(|_| is_unique));
        Self { branches, pending, current: None, last_shard: None, loader }
    }

    pub(in crate::query) async fn next(
        &mut self,
        reader: &mut PageReader,
        wanted: usize,
    ) -> Result<CandidateBatch> {
        let Some(mut current) = self.open(reader, wanted).await? else {
            return Ok(CandidateBatch { candidates: Vec::new(), reached: None, is_last: true });
        };
        let shard = current.slice.shard();
        self.last_shard = Some(shard);
        let wanted = reader.batch_size(wanted);
        let (hits, reached) = match &mut current.order {
            SliceOrder::Created(rest) => {
                let hits: Vec<_> = rest.drain(..wanted.min(rest.len())).collect();
                let reached =
                    hits.last().map(|hit| self.created_position(&current.slice, hit.ordinal));
                (hits, reached)
            }
            SliceOrder::Values(values) => {
                let hits = values.next(reader, wanted).await?;
                // Taken before filtering: terms that are rejected below must not be read again by the next page.
                let last = hits.last();
                let reached =
                    last.map(|hit| self.value_position(&current.slice, values.branch, hit));
                (self.filter(reader, values, hits).await?, reached)
            }
        };
        let candidates = self.load(reader, &current, hits).await?;
        match current.order {
            SliceOrder::Created(rest) if rest.is_empty() => {}
            SliceOrder::Values(values) if values.is_exhausted() => {
                self.advance(current.slice, values.branch + 1);
            }
            order => self.current = Some(ActiveSlice { slice: current.slice, order }),
        }
        let is_last = self.current.is_none() && self.pending.is_empty();
        Ok(CandidateBatch { candidates, reached, is_last })
    }

    /// Cheap filters first: by the value in the term, then by other terms, and only then by loading items.
    async fn filter(
        &self,
        reader: &mut PageReader,
        values: &mut BranchReader,
        hits: Vec<TermHit>,
    ) -> Result<Vec<TermHit>> {
        let Some(branch) = self.branches.get(values.branch) else { return Ok(Vec::new()) };
        let hits = filter_by_test(reader, branch, &mut values.iterator, hits).await;
        values.filter.retain(reader, hits).await
    }

    async fn load(
        &mut self,
        reader: &mut PageReader,
        current: &ActiveSlice,
        hits: Vec<TermHit>,
    ) -> Result<Vec<Candidate>> {
        let shard = current.slice.shard();
        let mut hits: Vec<_> = hits.into_iter().map(|hit| (shard, hit)).collect();
        let contents = self.loader.load_contents(reader, &mut hits).await?;
        let mut candidates = Vec::with_capacity(hits.len());
        for ((_, hit), content) in hits.iter().zip(contents) {
            let Some(content) = content else { continue };
            let position = match &current.order {
                SliceOrder::Created(_) => self.created_position(&current.slice, hit.ordinal),
                SliceOrder::Values(values) => {
                    if !should_emit(&self.branches, values.branch, &content, hit)? {
                        continue;
                    }
                    self.value_position(&current.slice, values.branch, hit)
                }
            };
            candidates.push(Candidate { ordinal: hit.ordinal, content, position });
        }
        Ok(candidates)
    }

    /// Whether the next items are in another physical partition than the last ones.
    pub(in crate::query) fn is_at_partition_end(&self) -> bool {
        let next = self.pending.front().map(|next| next.slice.shard());
        let is_between = self.current.is_none() && next.is_some() && self.last_shard.is_some();
        is_between && next != self.last_shard
    }

    /// Whether there may be more items. Only the last slice of a query is looked at, which ends it.
    pub(in crate::query) async fn find_more(&mut self, reader: &PageReader) -> Result<bool> {
        let Some(current) = self.current.as_mut().filter(|_| self.pending.is_empty()) else {
            return Ok(!self.pending.is_empty());
        };
        let SliceOrder::Values(values) = &mut current.order else { return Ok(true) };
        let is_last_branch = values.branch + 1 >= self.branches.len();
        let is_driven = values.filter.driver_exhausted().is_some();
        if !is_last_branch || is_driven || !values.buffer.is_empty() {
            return Ok(true);
        }
        values.iterator.find_more(reader).await
    }

    async fn open(
        &mut self,
        reader: &mut PageReader,
        wanted: usize,
    ) -> Result<Option<ActiveSlice>> {
        if let Some(current) = self.current.take() {
            return Ok(Some(current));
        }
        let Some(PendingSlice { slice, start }) = self.pending.pop_front() else {
            return Ok(None);
        };
        let (number, after) = match &start {
            SliceStart::Beginning => {
                let order = self.open_fresh(reader, &slice, wanted.min(TERMS_AT_ONCE)).await?;
                return Ok(Some(ActiveSlice { slice, order }));
            }
            SliceStart::Ordinal(after) => {
                let hits = self.collect(reader, &slice, RESUMED_TERMS_MAX).await?;
                let hits = hits.ok_or_else(|| {
                    invalid_token("the indexing policy has changed, or many items were added since")
                })?;
                let rest = hits.into_iter().filter(|hit| hit.ordinal > *after).collect();
                return Ok(Some(ActiveSlice { slice, order: SliceOrder::Created(rest) }));
            }
            SliceStart::Branch(branch) => (*branch, None),
            SliceStart::Term(branch, after) => (*branch, Some(after)),
        };
        // A branch number from a token may be any number. One that does not exist ends the lookup instead of failing.
        let Some(branch) = self.branches.get(number) else { return Ok(None) };
        let reader = BranchReader::open(reader, &slice, (number, branch), after).await?;
        Ok(Some(ActiveSlice { slice, order: SliceOrder::Values(Box::new(reader)) }))
    }

    /// Opens a slice of which nothing was read: in the order of creation if it has less than `terms_max` terms.
    async fn open_fresh(
        &self,
        reader: &mut PageReader,
        slice: &PartitionSlice,
        terms_max: usize,
    ) -> Result<SliceOrder> {
        let [branch] = self.branches.as_slice() else {
            // The terms of several branches are read again if they are too many: at most what one page wants.
            if let Some(hits) = self.collect(reader, slice, terms_max).await? {
                return Ok(SliceOrder::Created(hits));
            }
            let Some(branch) = self.branches.first() else {
                return Ok(SliceOrder::Created(VecDeque::new()));
            };
            let values = BranchReader::open(reader, slice, (0, branch), None).await?;
            return Ok(SliceOrder::Values(Box::new(values)));
        };
        let mut values = BranchReader::open(reader, slice, (0, branch), None).await?;
        if !values.read_all(reader, terms_max).await? {
            return Ok(SliceOrder::Values(Box::new(values)));
        }
        let hits = std::mem::take(&mut values.buffer).into();
        Ok(SliceOrder::Created(sort_by_creation(self.filter(reader, &mut values, hits).await?)))
    }

    /// All items that the branches find in a slice, in the order of creation; `None` if they have more terms.
    async fn collect(
        &self,
        reader: &mut PageReader,
        slice: &PartitionSlice,
        terms_max: usize,
    ) -> Result<Option<VecDeque<TermHit>>> {
        let mut left = terms_max;
        let mut found = Vec::new();
        for (number, branch) in self.branches.iter().enumerate() {
            let mut values = BranchReader::open(reader, slice, (number, branch), None).await?;
            if !values.read_all(reader, left).await? {
                return Ok(None);
            }
            left -= values.buffer.len().min(left);
            let hits = std::mem::take(&mut values.buffer).into();
            found.extend(self.filter(reader, &mut values, hits).await?);
        }
        Ok(Some(sort_by_creation(found)))
    }

    /// Continues with the next branch of the same slice, or with the next slice.
    fn advance(&mut self, slice: PartitionSlice, branch: usize) {
        if branch < self.branches.len() {
            // In front: all branches of a slice are read before the next slice, as the position assumes.
            let start = SliceStart::Branch(branch);
            self.pending.push_front(PendingSlice { slice, start });
        }
    }

    /// The position after a term. Ranges that an older position had partially read remain in it.
    fn value_position(
        &self,
        slice: &PartitionSlice,
        branch: usize,
        hit: &TermHit,
    ) -> ContinuationPosition {
        let part = |slice: &PartitionSlice, branch: usize, term: TermPosition| LookupPosition {
            range: slice.range.clone(),
            branch: u32::try_from(branch).unwrap_or(u32::MAX),
            term,
        };
        let term = TermPosition { value: hit.value.clone(), ordinal: hit.ordinal };
        let mut parts = vec![part(slice, branch, term)];
        for pending in &self.pending {
            // Ranges that were not begun need no entry: everything above the last entry counts as unread.
            let SliceStart::Term(branch, after) = &pending.start else { break };
            parts.push(part(&pending.slice, *branch, after.clone()));
        }
        ContinuationPosition::Lookup(parts)
    }

    /// The position after an item of a slice that is read in the order of creation.
    fn created_position(&self, slice: &PartitionSlice, ordinal: u64) -> ContinuationPosition {
        let mut above = Vec::new();
        for pending in &self.pending {
            let SliceStart::Ordinal(ordinal) = pending.start else { break };
            above.push(ReadRange { range: pending.slice.range.clone(), ordinal });
        }
        let (range, above) = (Arc::new(slice.range.clone()), above.into());
        ContinuationPosition::Created(CreationPosition { range, ordinal, above })
    }
}

/// Sorts items by ordinal; one that several terms find is there once.
fn sort_by_creation(mut hits: Vec<TermHit>) -> VecDeque<TermHit> {
    hits.sort_by_key(|hit| hit.ordinal);
    hits.dedup_by_key(|hit| hit.ordinal);
    hits.into()
}

/// What is pending of a slice at a position.
fn remaining_slices(slice: &PartitionSlice, start: LookupStart<'_>) -> Vec<PendingSlice> {
    let of = |range: EpkRange, start: SliceStart| PendingSlice {
        slice: PartitionSlice { range, ..slice.clone() },
        start,
    };
    let parts = match start {
        LookupStart::Beginning => return vec![of(slice.range.clone(), SliceStart::Beginning)],
        LookupStart::Created(position) => {
            let unread = position.unread(&slice.range).into_iter();
            let start =
                |after: Option<u64>| after.map_or(SliceStart::Beginning, SliceStart::Ordinal);
            return unread.map(|(range, after)| of(range, start(after))).collect();
        }
        LookupStart::Values(parts) => parts,
    };
    let mut starts = Vec::new();
    for part in parts {
        if let Some(range) = slice.range.intersect(&part.range) {
            let branch = usize::try_from(part.branch).unwrap_or(usize::MAX);
            starts.push(of(range, SliceStart::Term(branch, part.term.clone())));
        }
    }
    // Below the first entry everything was read, above the last one nothing. Between them the entries are adjacent.
    let begun = parts.last().map_or(&slice.range.min, |last| &last.range.max);
    let rest = EpkRange { min: begun.clone(), max: slice.range.max.clone() };
    starts.extend(slice.range.intersect(&rest).map(|range| of(range, SliceStart::Beginning)));
    starts
}
