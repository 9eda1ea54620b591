//! Few items, sorted after a lookup.
//!
//! Used if the filter finds few items and the order belongs to another index: reading in index order could read the
//! whole index. The items are loaded and sorted by the terms that index would have, so a position in this order is also
//! a position in the index, and the next page may use either access path.

use std::collections::VecDeque;

use ::query::plan::condition::ItemPath;
use storage::Shard;

use super::candidate::{Candidate, CandidateBatch, ItemContent};
use super::intersection::collect_small;
use super::merged::MergedLookupSource;
use super::page_reader::PageReader;
use super::term::{LookupBranch, parse_paths, sort_key, values_at};
use crate::error::Result;
use crate::query::continuation::{ContinuationPosition, TermPosition};
use crate::query::target::PartitionSlice;

/// A lookup with fewer terms than this is read completely and sorted.
const FEW_TERMS_MAX: usize = 256;

/// The items that a lookup found, sorted.
pub(in crate::query) struct SortedLookupSource {
    sorted: VecDeque<Candidate>,
    /// Number of items found, over all pages.
    found: u64,
    /// Number of them on earlier pages.
    returned_before: u64,
    /// The slices that were read: shard, and whether the slice is its whole physical partition.
    slices_read: Vec<(Shard, bool)>,
}

/// The order of an index: its paths with whether they are descending, and whether it is read in reverse.
pub(super) struct IndexOrder {
    pub(super) paths: Vec<(ItemPath, bool)>,
    pub(super) is_reversed: bool,
}

impl SortedLookupSource {
    /// Runs the lookup; `None` if it finds too many items.
    pub(super) async fn open(
        reader: &mut PageReader,
        slices: &[PartitionSlice],
        branches: Vec<LookupBranch>,
        order: &IndexOrder,
        after: Option<&TermPosition>,
    ) -> Result<Option<Self>> {
        // Count terms before loading any item: a lookup that turns out to be large has cost only index reads.
        let mut terms = 0;
        for branch in &branches {
            for slice in slices {
                let found =
                    collect_small(reader, slice, &branch.terms, FEW_TERMS_MAX - terms).await?;
                let Some(found) = found else { return Ok(None) };
                terms += found.len();
                if terms >= FEW_TERMS_MAX {
                    return Ok(None);
                }
            }
        }
        // Read a second time, now with its items. The terms were just read, so they come from a cache.
        let mut lookup = MergedLookupSource::new(slices, branches, None);
        let mut found = Vec::new();
        loop {
            let batch = lookup.next(reader, FEW_TERMS_MAX).await?;
            for candidate in batch.candidates {
                if let ItemContent::Record(record) = &candidate.content {
                    let sort_key = TermPosition {
                        value: order.sort_key(&parse_paths(record, &order.paths)?).into(),
                        ordinal: candidate.ordinal,
                    };
                    found.push((sort_key, candidate));
                }
            }
            if batch.is_last {
                break;
            }
        }
        let all = found.len() as u64;
        if let Some(after) = after {
            // Nothing is remembered between pages: each page finds and sorts again, and drops what comes before the
            // position.
            found.retain(|(sort_key, _)| order.compare(sort_key, after).is_gt());
        }
        found.sort_by(|(left, _), (right, _)| order.compare(left, right));
        let positioned = found.into_iter().map(|(sort_key, candidate)| Candidate {
            position: ContinuationPosition::Ordered(sort_key),
            ..candidate
        });
        let sorted: VecDeque<Candidate> = positioned.collect();
        let slices_read = slices.iter().map(|slice| (slice.shard(), slice.is_whole_partition()));
        // Items deleted since are in neither number, so the shares of the charge stay consistent.
        let returned_before = all - sorted.len() as u64;
        Ok(Some(Self { sorted, found: all, returned_before, slices_read: slices_read.collect() }))
    }

    pub(in crate::query) fn found(&self) -> u64 {
        self.found
    }

    pub(in crate::query) fn returned_before(&self) -> u64 {
        self.returned_before
    }

    pub(in crate::query) fn slices_read(&self) -> &[(Shard, bool)] {
        &self.slices_read
    }

    pub(in crate::query) fn next(&mut self, wanted: usize) -> CandidateBatch {
        let wanted = wanted.clamp(1, self.sorted.len().max(1)).min(self.sorted.len());
        let candidates: Vec<Candidate> = self.sorted.drain(..wanted).collect();
        let reached = candidates.last().map(|last| last.position.clone());
        CandidateBatch { candidates, reached, is_last: self.sorted.is_empty() }
    }
}

impl IndexOrder {
    /// The sort key of an item: the value of its term, with complete strings.
    fn sort_key(&self, item: &model::Json) -> Vec<u8> {
        let values = self.paths.iter().map(|(path, is_descending)| {
            (values_at(item, path).into_iter().next(), *is_descending)
        });
        sort_key(&values.collect::<Vec<_>>())
    }

    fn compare(&self, left: &TermPosition, right: &TermPosition) -> std::cmp::Ordering {
        let order = left.value.cmp(&right.value).then(left.ordinal.cmp(&right.ordinal));
        if self.is_reversed { order.reverse() } else { order }
    }
}
