//! Few items, sorted after a lookup.
//!
//! Used if the filter finds few items and the order belongs to another index: reading in index order could read the
//! whole index. The items are loaded and sorted by the terms that index would have, so a position in this order is also
//! a position in the index, and the next page may use either access path.

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;

use ::query::plan::condition::ItemPath;
use storage::{Shard, StorageKey};

use super::candidate::{Candidate, CandidateBatch, ItemContent};
use super::intersection::smallest_lookup;
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
    /// Runs the lookup; `None` if it finds too many items. Boxed without its type, as in `CandidateSource::next`.
    pub(super) fn open<'page>(
        reader: &'page mut PageReader,
        slices: &'page [PartitionSlice],
        branches: Vec<LookupBranch>,
        order: &'page IndexOrder,
        after: Option<&'page TermPosition>,
    ) -> Pin<Box<dyn Future<Output = Result<Option<Self>>> + Send + 'page>> {
        Box::pin(Self::find(reader, slices, branches, order, after))
    }

    async fn find(
        reader: &mut PageReader,
        slices: &[PartitionSlice],
        branches: Vec<LookupBranch>,
        order: &IndexOrder,
        after: Option<&TermPosition>,
    ) -> Result<Option<Self>> {
        // Count terms before loading any item: a lookup that turns out to be large has cost only index reads. Of several
        // conditions the one that finds the fewest items counts.
        let mut keys: Vec<(Shard, BTreeMap<u64, StorageKey>)> = Vec::new();
        let mut left = FEW_TERMS_MAX;
        for slice in slices {
            let mut found = BTreeMap::new();
            for branch in &branches {
                let smallest = smallest_lookup(reader, slice, branch, left).await?;
                let Some(smallest) = smallest.filter(|smallest| smallest.len() < left) else {
                    return Ok(None);
                };
                left -= smallest.len();
                found.extend(smallest);
            }
            keys.push((slice.shard(), found));
        }
        let candidates = match branches.iter().all(|branch| branch.condition.test.is_none()) {
            true => load_matching(reader, &branches, keys).await?,
            // Tests are charged for each value that they see, so that they run on terms.
            false => load_by_terms(reader, slices, branches).await?,
        };
        let mut found = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            if let ItemContent::Record(record) = &candidate.content {
                let sort_key = TermPosition {
                    value: order.sort_key(&parse_paths(record, &order.paths)?).into(),
                    ordinal: candidate.ordinal,
                };
                found.push((sort_key, candidate));
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

/// Loads items and keeps those that a branch finds.
async fn load_matching(
    reader: &mut PageReader,
    branches: &[LookupBranch],
    keys: Vec<(Shard, BTreeMap<u64, StorageKey>)>,
) -> Result<Vec<Candidate>> {
    // One condition whose terms were read: every item satisfies it, if no other has the same term.
    let are_matching = match branches {
        [only] => only.also.is_empty() && !only.condition.is_multi_valued(),
        _ => false,
    };
    let mut candidates = Vec::new();
    for (shard, keys) in keys {
        let (ordinals, keys): (Vec<u64>, Vec<StorageKey>) = keys.into_iter().unzip();
        let batch_size = reader.batch_size(keys.len());
        for (ordinals, keys) in ordinals.chunks(batch_size).zip(keys.chunks(batch_size)) {
            let records = reader.load(shard, keys).await?;
            for (ordinal, record) in ordinals.iter().zip(records) {
                let Some(record) = record else { continue };
                if !are_matching {
                    let item = record.parse()?;
                    if !branches.iter().any(|branch| branch.matches(&item)) {
                        continue;
                    }
                }
                let content = ItemContent::Record(record);
                let position = ContinuationPosition::Start;
                candidates.push(Candidate { ordinal: *ordinal, content, position });
            }
        }
    }
    Ok(candidates)
}

/// Reads the terms of the branches again, now with their tests and items. They were just read, so they come from a
/// cache.
async fn load_by_terms(
    reader: &mut PageReader,
    slices: &[PartitionSlice],
    branches: Vec<LookupBranch>,
) -> Result<Vec<Candidate>> {
    let mut lookup = MergedLookupSource::new(slices, branches, None);
    let mut candidates = Vec::new();
    loop {
        let batch = lookup.next(reader, FEW_TERMS_MAX).await?;
        candidates.extend(batch.candidates);
        if batch.is_last {
            return Ok(candidates);
        }
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
