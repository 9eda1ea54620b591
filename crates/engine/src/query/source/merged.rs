//! Items found by a lookup, merged over all slices.
//!
//! The order is branch, value, ordinal, independent of how the container is partitioned. Results that each page
//! computes again need this: the order must be the same after a split or merge. All slices are open at once; row by row
//! reads use `lookup` instead, which reads one slice after the other.

use std::collections::VecDeque;

use super::candidate::{Candidate, CandidateBatch};
use super::index_values::IndexValues;
use super::intersection::IntersectionFilter;
use super::item_loader::ItemLoader;
use super::lookup::{filter_by_test, should_emit};
use super::page_reader::PageReader;
use super::term::{LookupBranch, TermIterator};
use crate::error::Result;
use crate::key_layout::TermHit;
use crate::query::continuation::ContinuationPosition;
use crate::query::target::PartitionSlice;

/// Reads all slices of a query by a lookup, merged.
pub(in crate::query) struct MergedLookupSource {
    slices: Vec<PartitionSlice>,
    branches: Vec<LookupBranch>,
    branch: usize,
    /// `None` until the current branch is opened.
    cursors: Option<Vec<LookupCursor>>,
    loader: ItemLoader,
}

struct LookupCursor {
    iterator: TermIterator,
    filter: IntersectionFilter,
    buffer: VecDeque<TermHit>,
}

impl MergedLookupSource {
    pub(super) fn new(
        slices: &[PartitionSlice],
        branches: Vec<LookupBranch>,
        values: Option<IndexValues>,
    ) -> Self {
        // As in `lookup`: duplicates of an item can be detected only if it is loaded.
        let is_unique = match branches.as_slice() {
            [only] => !only.condition.is_multi_valued(),
            _ => false,
        };
        let loader = ItemLoader::new(values.filter(|_| is_unique));
        Self { slices: slices.to_vec(), branches, branch: 0, cursors: None, loader }
    }

    pub(in crate::query) async fn next(
        &mut self,
        reader: &mut PageReader,
        wanted: usize,
    ) -> Result<CandidateBatch> {
        let mut batch = CandidateBatch { candidates: Vec::new(), reached: None, is_last: true };
        let Some(branch) = self.branches.get(self.branch) else { return Ok(batch) };
        let mut cursors = match self.cursors.take() {
            Some(cursors) => cursors,
            None => open_cursors(reader, &self.slices, branch).await?,
        };
        let wanted = reader.batch_size(wanted);
        let mut hits = Vec::new();
        // Every cursor needs a term in its buffer before the smallest is taken; an empty buffer means the end of its
        // slice.
        while hits.len() < wanted {
            for cursor in &mut cursors {
                cursor.refill(reader, branch, wanted).await?;
            }
            let filled = cursors.iter_mut().filter(|cursor| !cursor.buffer.is_empty());
            let smallest = filled.min_by(|left, right| left.front().cmp(&right.front()));
            let Some(cursor) = smallest else { break };
            let shard = cursor.iterator.slice().shard();
            hits.extend(cursor.buffer.pop_front().map(|hit| (shard, hit)));
        }
        let contents = self.loader.load_contents(reader, &mut hits).await?;
        for ((_, hit), content) in hits.iter().zip(contents) {
            let Some(content) = content else { continue };
            if should_emit(&self.branches, self.branch, &content, hit)? {
                // Such results continue by the number of rows, so candidates need no position.
                let position = ContinuationPosition::Start;
                batch.candidates.push(Candidate { ordinal: hit.ordinal, content, position });
            }
        }
        // Fewer than wanted: all cursors of this branch are at their end.
        if hits.len() < wanted {
            self.branch += 1;
        } else {
            self.cursors = Some(cursors);
        }
        batch.is_last = self.branch >= self.branches.len();
        Ok(batch)
    }
}

async fn open_cursors(
    reader: &mut PageReader,
    slices: &[PartitionSlice],
    branch: &LookupBranch,
) -> Result<Vec<LookupCursor>> {
    let mut cursors = Vec::with_capacity(slices.len());
    for slice in slices {
        cursors.push(LookupCursor {
            iterator: TermIterator::new(slice, &branch.terms, None),
            filter: IntersectionFilter::open(reader, slice, branch, None).await?,
            buffer: VecDeque::new(),
        });
    }
    Ok(cursors)
}

impl LookupCursor {
    fn front(&self) -> Option<(&[u8], u64)> {
        self.buffer.front().map(|hit| (hit.value.as_ref(), hit.ordinal))
    }

    async fn refill(
        &mut self,
        reader: &mut PageReader,
        branch: &LookupBranch,
        wanted: usize,
    ) -> Result<()> {
        while self.buffer.is_empty() {
            if self.filter.driver_exhausted().unwrap_or_else(|| self.iterator.is_at_end()) {
                return Ok(());
            }
            let hits = match self.filter.next_driver_hits(wanted) {
                Some(hits) => hits,
                None => self.iterator.next(reader, wanted).await?,
            };
            let hits = filter_by_test(reader, branch, &mut self.iterator, hits).await;
            self.buffer.extend(self.filter.retain(reader, hits).await?);
        }
        Ok(())
    }
}
