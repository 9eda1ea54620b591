//! Items found by a lookup, slice after slice.
//!
//! Reads each slice branch by branch. An item with several matching terms is returned at the first of them: in the
//! first branch that matches it, at the smallest value. The continuation position is an epk range, a branch and a term;
//! it is valid as long as the query has the same lookup.

use std::collections::VecDeque;

use storage::Shard;

use model::EpkRange;

use super::candidate::{Candidate, CandidateBatch, ItemContent};
use super::index_values::IndexValues;
use super::intersection::IntersectionFilter;
use super::item_loader::ItemLoader;
use super::page_reader::PageReader;
use super::term::{LookupBranch, TermIterator, TermValue, decode_value};
use crate::error::Result;
use crate::key_layout::TermHit;
use crate::query::continuation::{ContinuationPosition, LookupPosition, TermPosition};
use crate::query::target::PartitionSlice;

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
    branch: usize,
    after: Option<TermPosition>,
}

/// The slice being read.
struct ActiveSlice {
    slice: PartitionSlice,
    branch: usize,
    iterator: TermIterator,
    filter: IntersectionFilter,
}

impl LookupSource {
    pub(super) fn new(
        slices: &[PartitionSlice],
        branches: Vec<LookupBranch>,
        values: Option<IndexValues>,
        position: Option<&[LookupPosition]>,
    ) -> Self {
        let mut pending = VecDeque::new();
        for slice in slices {
            match position {
                Some(parts) => pending.extend(remaining_slices(slice, parts)),
                None => {
                    pending.push_back(PendingSlice {
                        slice: slice.clone(),
                        branch: 0,
                        after: None,
                    });
                }
            }
        }
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
        let mut batch = CandidateBatch { candidates: Vec::new(), reached: None, is_last: false };
        let Some(mut current) = self.open(reader).await? else {
            batch.is_last = true;
            return Ok(batch);
        };
        let Some(branch) = self.branches.get(current.branch) else { return Ok(batch) };
        let wanted = reader.batch_size(wanted);
        let hits = current.next_hits(reader, wanted).await?;
        // Taken before filtering: terms that are rejected below must not be read again by the next page.
        batch.reached = hits.last().map(|hit| self.position_after(&current, hit));
        // Cheap filters first: by the value in the term, then by other terms, and only then by loading items.
        let hits = filter_by_test(reader, branch, &mut current.iterator, hits).await;
        let hits = current.filter.retain(reader, hits).await?;
        let shard = current.slice.shard();
        self.last_shard = Some(shard);
        let mut hits: Vec<_> = hits.into_iter().map(|hit| (shard, hit)).collect();
        let contents = self.loader.load_contents(reader, &mut hits).await?;
        for ((_, hit), content) in hits.iter().zip(contents) {
            let Some(content) = content else { continue };
            if should_emit(&self.branches, current.branch, &content, hit)? {
                let position = self.position_after(&current, hit);
                batch.candidates.push(Candidate { ordinal: hit.ordinal, content, position });
            }
        }
        if current.is_exhausted() {
            self.advance(current);
        } else {
            self.current = Some(current);
        }
        batch.is_last = self.current.is_none() && self.pending.is_empty();
        Ok(batch)
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
        let is_last_branch = current.branch + 1 >= self.branches.len();
        if !is_last_branch || current.filter.driver_exhausted().is_some() {
            return Ok(true);
        }
        current.iterator.find_more(reader).await
    }

    async fn open(&mut self, reader: &mut PageReader) -> Result<Option<ActiveSlice>> {
        if let Some(current) = self.current.take() {
            return Ok(Some(current));
        }
        let Some(start) = self.pending.pop_front() else { return Ok(None) };
        // A branch number from a token may be any number. One that does not exist ends the lookup instead of failing.
        let Some(branch) = self.branches.get(start.branch) else { return Ok(None) };
        let after = start.after.as_ref();
        let iterator = TermIterator::new(&start.slice, &branch.terms, after);
        let filter = IntersectionFilter::open(reader, &start.slice, branch, after).await?;
        Ok(Some(ActiveSlice { slice: start.slice, branch: start.branch, iterator, filter }))
    }

    /// Continues with the next branch of the same slice, or with the next slice.
    fn advance(&mut self, finished: ActiveSlice) {
        let branch = finished.branch + 1;
        if branch < self.branches.len() {
            // In front: all branches of a slice are read before the next slice, as the position assumes.
            self.pending.push_front(PendingSlice { slice: finished.slice, branch, after: None });
        }
    }

    /// The position after a term. Ranges that an older position had partially read remain in it.
    fn position_after(&self, current: &ActiveSlice, hit: &TermHit) -> ContinuationPosition {
        let part = |slice: &PartitionSlice, branch: usize, term: TermPosition| LookupPosition {
            range: slice.range.clone(),
            branch: u32::try_from(branch).unwrap_or(u32::MAX),
            term,
        };
        let term = TermPosition { value: hit.value.clone(), ordinal: hit.ordinal };
        let mut parts = vec![part(&current.slice, current.branch, term)];
        for start in &self.pending {
            // Ranges that were not begun need no entry: everything above the last entry counts as unread.
            let Some(after) = &start.after else { break };
            parts.push(part(&start.slice, start.branch, after.clone()));
        }
        ContinuationPosition::Lookup(parts)
    }
}

impl ActiveSlice {
    async fn next_hits(&mut self, reader: &mut PageReader, wanted: usize) -> Result<Vec<TermHit>> {
        match self.filter.next_driver_hits(wanted) {
            Some(hits) => Ok(hits),
            None => self.iterator.next(reader, wanted).await,
        }
    }

    fn is_exhausted(&self) -> bool {
        self.filter.driver_exhausted().unwrap_or_else(|| self.iterator.is_at_end())
    }
}

/// What is pending of a slice at a position.
fn remaining_slices(slice: &PartitionSlice, parts: &[LookupPosition]) -> Vec<PendingSlice> {
    let mut starts = Vec::new();
    for part in parts {
        if let Some(range) = slice.range.intersect(&part.range) {
            starts.push(PendingSlice {
                slice: PartitionSlice { range, ..slice.clone() },
                branch: usize::try_from(part.branch).unwrap_or(usize::MAX),
                after: Some(part.term.clone()),
            });
        }
    }
    // Below the first entry everything was read, above the last one nothing. Between them the entries are adjacent.
    let begun = parts.last().map_or(&slice.range.min, |last| &last.range.max);
    let rest = EpkRange { min: begun.clone(), max: slice.range.max.clone() };
    if let Some(range) = slice.range.intersect(&rest) {
        let slice = PartitionSlice { range, ..slice.clone() };
        starts.push(PendingSlice { slice, branch: 0, after: None });
    }
    starts
}

/// Evaluates the test of a branch once per distinct value, and skips all terms of a value that fails.
pub(super) async fn filter_by_test(
    reader: &mut PageReader,
    branch: &LookupBranch,
    iterator: &mut TermIterator,
    hits: Vec<TermHit>,
) -> Vec<TermHit> {
    if branch.condition.test.is_none() {
        return hits;
    }
    /// Values that are tested before other tasks get their turn: each may take a fraction of a millisecond.
    const VALUES_AT_ONCE: usize = 16;
    let mut kept = Vec::with_capacity(hits.len());
    let runs = hits.chunk_by(|left, right| left.value == right.value);
    for (tested, run) in runs.enumerate() {
        let Some(first) = run.first() else { continue };
        if tested % VALUES_AT_ONCE == VALUES_AT_ONCE - 1 {
            tokio::task::yield_now().await;
        }
        // The service reads an index entry per distinct value; count it once even if its terms span batches.
        if iterator.enter_value(&first.value) {
            reader.charges.counters.index_entries += 1;
        }
        let passes = match decode_value(&first.value) {
            Some((TermValue::Value(value), _)) => branch.condition.passes(&value),
            // A hash instead of a value, or no value: only the item decides.
            _ => true,
        };
        if passes {
            kept.extend_from_slice(run);
        } else {
            iterator.skip_value(&first.value);
        }
    }
    kept
}

/// Whether an item is to be returned at this term, and not at an earlier term or branch that also finds it. Decided
/// from the item alone, so pages need no memory of what was returned.
pub(super) fn should_emit(
    branches: &[LookupBranch],
    branch: usize,
    content: &ItemContent,
    hit: &TermHit,
) -> Result<bool> {
    let Some(own) = branches.get(branch) else { return Ok(false) };
    // Items decoded from terms come only from lookups that find each item once; see `new`.
    let ItemContent::Record(record) = content else { return Ok(true) };
    let is_multi_valued = own.condition.is_multi_valued();
    if branches.len() == 1 && !is_multi_valued {
        return Ok(true);
    }
    let item = record.parse()?;
    let mut earlier = branches.iter().take(branch);
    // If the branch itself does not match the item (a range may contain more), a later branch may return it.
    Ok(own.matches(&item)
        && !earlier.any(|earlier| earlier.matches(&item))
        && (!is_multi_valued || own.condition.is_first_term(&item, &hit.value)))
}
