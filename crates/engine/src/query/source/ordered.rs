//! Items in the order of an index, merged over all slices.
//!
//! Each slice returns its terms in order; the merge takes the smallest, or the greatest if the index is read backwards.
//! Equal values are ordered by ordinal in the same direction. An ordinal is unique in a container, so the order does
//! not depend on the partitioning, and one term is a sufficient position after any split or merge. Terms hold only a
//! prefix of long strings, so strings with the same prefix are sorted by their items.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use storage::Shard;

use super::candidate::{Candidate, CandidateBatch};
use super::index_values::IndexValues;
use super::item_loader::ItemLoader;
use super::page_reader::PageReader;
use super::term::{TermIterator, TermScan, parse_paths, sort_key, truncated_prefix, values_at};
use crate::error::Result;
use crate::key_layout::TermHit;
use crate::query::continuation::{ContinuationPosition, TermPosition};
use crate::query::target::PartitionSlice;

/// Merges the terms of all slices.
pub(in crate::query) struct OrderedSource {
    cursors: Vec<OrderedCursor>,
    is_reversed: bool,
    loader: ItemLoader,
    /// `Some` if only the first of equal values is returned; then the last value that was.
    distinct: Option<Option<Bytes>>,
}

/// The terms of one slice.
struct OrderedCursor {
    iterator: TermIterator,
    buffer: VecDeque<SortedHit>,
    /// Terms read but not sorted yet.
    lookahead: VecDeque<TermHit>,
    terms: Arc<TermScan>,
    descending: Vec<bool>,
    after: Option<TermPosition>,
}

/// A term with its sort key.
struct SortedHit {
    /// The sort key with complete strings; `None` if the term's own value is complete.
    full_sort_key: Option<Bytes>,
    hit: TermHit,
}

impl OrderedSource {
    pub(super) fn new(
        slices: &[PartitionSlice],
        terms: TermScan,
        values: Option<IndexValues>,
        after: Option<&TermPosition>,
    ) -> Self {
        let terms = Arc::new(terms);
        let cursors = slices.iter().map(|slice| OrderedCursor {
            iterator: TermIterator::new(slice, &terms, after),
            buffer: VecDeque::new(),
            lookahead: VecDeque::new(),
            terms: Arc::clone(&terms),
            descending: terms.descending(),
            after: after.cloned(),
        });
        Self {
            cursors: cursors.collect(),
            is_reversed: terms.is_reversed,
            loader: ItemLoader::new(values),
            distinct: None,
        }
    }

    /// Returns only the first of equal values. A page continues after the value that the previous one ended with.
    pub(in crate::query) fn distinct(mut self, after: Option<&TermPosition>) -> Self {
        let last = after.map(|after| after.value.clone());
        if let Some(last) = &last {
            for cursor in &mut self.cursors {
                // The value was returned, whichever item the page ended at: all its other items are duplicates.
                cursor.iterator.skip_value(last);
            }
        }
        self.distinct = Some(last);
        self
    }

    pub(in crate::query) async fn next(
        &mut self,
        reader: &mut PageReader,
        wanted: usize,
    ) -> Result<CandidateBatch> {
        let wanted = reader.batch_size(wanted);
        // One slice is the usual case (a query with a partition key), and needs neither a merge nor sort keys.
        let mut hits = self.read_single_slice(reader, wanted).await?;
        let (unmerged, mut sort_keys) = (hits.len(), Vec::new());
        while hits.len() < wanted {
            for cursor in self.cursors.iter_mut().filter(|cursor| cursor.buffer.is_empty()) {
                cursor.refill(reader, &mut self.loader, wanted).await?;
            }
            let Some((shard, sorted)) = self.pop_smallest() else { break };
            sort_keys.push(sorted.full_sort_key);
            hits.push((shard, sorted.hit));
        }
        let contents = self.loader.load_contents(reader, &mut hits).await?;
        let last_sort_key = sort_keys.last().and_then(Option::as_ref);
        let last = hits.last().map(|(_, hit)| {
            // The position holds the complete string and not its truncated term, so that it is exact within a run of
            // equal prefixes.
            position_after(last_sort_key.unwrap_or(&hit.value).clone(), hit.ordinal)
        });
        let sort_keys = std::iter::repeat_n(None, unmerged).chain(sort_keys);
        let candidates = Vec::with_capacity(hits.len());
        let mut batch = CandidateBatch { candidates, reached: last, is_last: hits.len() < wanted };
        for (((_, hit), full_sort_key), content) in hits.into_iter().zip(sort_keys).zip(contents) {
            let Some(content) = content else { continue };
            let (ordinal, sort_key) = (hit.ordinal, full_sort_key.unwrap_or(hit.value));
            if let Some(last) = &mut self.distinct {
                if last.as_ref() == Some(&sort_key) {
                    continue;
                }
                *last = Some(sort_key.clone());
                for cursor in &mut self.cursors {
                    // Duplicates that are read already sit in buffers; those not yet read are skipped by the iterator.
                    cursor.skip_value(&sort_key);
                }
            }
            let position = position_after(sort_key, ordinal);
            batch.candidates.push(Candidate { ordinal, content, position });
        }
        Ok(batch)
    }

    /// Whether there may be more items.
    pub(in crate::query) async fn find_more(&mut self, reader: &PageReader) -> Result<bool> {
        for cursor in &mut self.cursors {
            let is_buffered = !cursor.buffer.is_empty() || !cursor.lookahead.is_empty();
            if is_buffered || cursor.iterator.find_more(reader).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Fast path for a single slice: takes terms as they come, up to the first truncated one. Returns nothing for
    /// several slices, which must be merged.
    async fn read_single_slice(
        &mut self,
        reader: &mut PageReader,
        wanted: usize,
    ) -> Result<Vec<(Shard, TermHit)>> {
        let mut hits = Vec::with_capacity(wanted);
        let [cursor] = self.cursors.as_mut_slice() else { return Ok(hits) };
        let shard = cursor.iterator.slice().shard();
        while cursor.is_drained() && hits.len() < wanted && !cursor.iterator.is_at_end() {
            let mut read = cursor.iterator.next(reader, wanted).await?;
            let is_truncated =
                |hit: &TermHit| truncated_prefix(&hit.value, &cursor.descending).is_some();
            let complete = read.iter().position(is_truncated).unwrap_or(read.len());
            // The rest waits, complete or not: the slow path takes it from there in the same order.
            cursor.lookahead.extend(read.drain(complete.min(wanted - hits.len())..));
            hits.extend(read.into_iter().map(|hit| (shard, hit)));
        }
        Ok(hits)
    }

    /// Removes the smallest term of all slices. Every cursor must be filled unless it is exhausted.
    fn pop_smallest(&mut self) -> Option<(Shard, SortedHit)> {
        let is_reversed = self.is_reversed;
        let first = self.cursors.iter_mut().filter(|cursor| !cursor.buffer.is_empty());
        let first = first.min_by(|left, right| match (left.buffer.front(), right.buffer.front()) {
            (Some(left), Some(right)) => left.compare(right, is_reversed),
            // Not reached, because empty buffers are filtered out; a cursor with a term would come first.
            (left, right) => right.is_some().cmp(&left.is_some()),
        });
        let cursor = first?;
        let shard = cursor.iterator.slice().shard();
        cursor.buffer.pop_front().map(|sorted| (shard, sorted))
    }
}

/// The position after a term.
fn position_after(value: Bytes, ordinal: u64) -> ContinuationPosition {
    ContinuationPosition::Ordered(TermPosition { value, ordinal })
}

impl SortedHit {
    fn sort_key(&self) -> &Bytes {
        self.full_sort_key.as_ref().unwrap_or(&self.hit.value)
    }

    fn compare(&self, other: &Self, is_reversed: bool) -> Ordering {
        let order = self.sort_key().cmp(other.sort_key());
        let order = order.then(self.hit.ordinal.cmp(&other.hit.ordinal));
        if is_reversed { order.reverse() } else { order }
    }
}

impl OrderedCursor {
    /// Whether every term that was read has been returned.
    fn is_drained(&self) -> bool {
        self.buffer.is_empty() && self.lookahead.is_empty()
    }

    fn skip_value(&mut self, value: &Bytes) {
        self.buffer.retain(|sorted| sorted.sort_key() != value);
        self.lookahead.retain(|hit| hit.value != *value);
        self.iterator.skip_value(value);
    }

    async fn refill(
        &mut self,
        reader: &mut PageReader,
        loader: &mut ItemLoader,
        wanted: usize,
    ) -> Result<()> {
        while self.buffer.is_empty() {
            let Some(hit) = self.next_hit(reader, wanted).await? else { return Ok(()) };
            match truncated_prefix(&hit.value, &self.descending) {
                Some(prefix) => {
                    self.lookahead.push_front(hit);
                    // Rare, and a large future.
                    Box::pin(self.sort_truncated_run(reader, loader, &prefix)).await?;
                }
                None => self.buffer.push_back(SortedHit { full_sort_key: None, hit }),
            }
            self.drain_complete();
        }
        Ok(())
    }

    /// Moves complete terms from the lookahead to the buffer, up to the first truncated one.
    fn drain_complete(&mut self) {
        let descending = &self.descending;
        while let Some(hit) =
            self.lookahead.pop_front_if(|hit| truncated_prefix(&hit.value, descending).is_none())
        {
            self.buffer.push_back(SortedHit { full_sort_key: None, hit });
        }
    }

    async fn next_hit(
        &mut self,
        reader: &mut PageReader,
        wanted: usize,
    ) -> Result<Option<TermHit>> {
        while self.lookahead.is_empty() && !self.iterator.is_at_end() {
            self.lookahead.extend(self.iterator.next(reader, wanted).await?);
        }
        Ok(self.lookahead.pop_front())
    }

    /// Reads all terms that share a truncated prefix and sorts them by the strings in their items.
    async fn sort_truncated_run(
        &mut self,
        reader: &mut PageReader,
        loader: &mut ItemLoader,
        prefix: &[u8],
    ) -> Result<()> {
        let mut run = Vec::new();
        // The run must be complete before it is sorted: truncated terms are ordered by a hash, not by value.
        while let Some(hit) = self.next_hit(reader, 64).await? {
            if !hit.value.starts_with(prefix) {
                self.lookahead.push_front(hit);
                break;
            }
            run.push(hit);
        }
        let mut sorted = Vec::new();
        let shard = self.iterator.slice().shard();
        for part in run.chunks(64) {
            let records = loader.load_records(reader, shard, part).await?;
            for (hit, record) in part.iter().zip(records) {
                let Some(record) = record else { continue };
                let item = parse_paths(&record, &self.terms.paths)?;
                let values = self.terms.paths.iter().map(|(path, is_descending)| {
                    (values_at(&item, path).into_iter().next(), *is_descending)
                });
                let full_sort_key = Some(sort_key(&values.collect::<Vec<_>>()).into());
                sorted.push(SortedHit { full_sort_key, hit: hit.clone() });
            }
        }
        sorted.sort_by(|left, right| left.compare(right, self.terms.is_reversed));
        // A resumed page reads the whole run again, so drop what earlier pages returned.
        if let Some(after) = &self.after {
            let returned =
                TermHit { value: Bytes::new(), ordinal: after.ordinal, key: Bytes::new() };
            let returned = SortedHit { full_sort_key: Some(after.value.clone()), hit: returned };
            sorted
                .retain(|one| one.compare(&returned, self.terms.is_reversed) == Ordering::Greater);
        }
        self.buffer.extend(sorted);
        Ok(())
    }
}
