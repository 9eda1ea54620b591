//! Iterates over the terms of one path or composite index in one slice of a container.
//!
//! Values come in ascending or descending order, from any position on, and a value can be skipped. Items with equal
//! values come in the same direction as the values, by their ordinals: a reversed read is the exact reverse of a
//! forward one, as in the service.

use std::collections::VecDeque;

use ::query::plan::condition::ItemPath;
use bytes::Bytes;
use storage::{Direction, KeyRange, Scan, ScanLimit};

use super::absent::{AbsentPathIterator, AbsentStart};
use super::key_bound::{lower, upper};
use super::value_bytes::{ByteRange, prefix_of_sort_key, successor};
use crate::error::{Error, Result};
use crate::key_layout::{TERMS, TermHit, TermPrefix};
use crate::ordered_bytes::UNDEFINED;
use crate::query::continuation::TermPosition;
use crate::query::source::page_reader::PageReader;
use crate::query::target::PartitionSlice;

/// Which terms to read, and in which direction.
#[derive(Clone, Debug)]
pub(in crate::query::source) struct TermScan {
    pub(in crate::query::source) index: TermIndex,
    /// The paths of the values in a term, each with whether its values are stored inverted (descending).
    pub(in crate::query::source) paths: Vec<(ItemPath, bool)>,
    /// Byte ranges of the values, ascending.
    pub(in crate::query::source) ranges: Vec<ByteRange>,
    /// Whether items without a value at the path are included. A composite index has terms for them instead.
    pub(in crate::query::source) absent: bool,
    pub(in crate::query::source) is_reversed: bool,
}

/// The index that terms belong to.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::query::source) enum TermIndex {
    /// The index of a path, in the encoding of terms.
    Path(Vec<u8>),
    /// A composite index, by number.
    Composite(u64),
}

impl TermScan {
    /// Which values of a term are stored inverted.
    pub(in crate::query::source) fn descending(&self) -> Vec<bool> {
        self.paths.iter().map(|(_, is_descending)| *is_descending).collect()
    }
}

/// Reads terms in order.
pub(in crate::query::source) struct TermIterator {
    slice: PartitionSlice,
    prefix: TermPrefix,
    path: Vec<u8>,
    is_reversed: bool,
    descending: Vec<bool>,
    /// Key ranges still to be read, in reading order.
    ranges: VecDeque<KeyRange>,
    /// `Some` while items without a value are still to come, with the ordinal to start after. They sort before all
    /// values, so they come first, or last in reverse.
    absent: Option<Option<u64>>,
    absent_items: Option<AbsentPathIterator>,
    is_at_end: bool,
    /// The value that `enter_value` saw last.
    last_value: Option<Bytes>,
}

impl TermIterator {
    pub(in crate::query::source) fn new(
        slice: &PartitionSlice,
        terms: &TermScan,
        after: Option<&TermPosition>,
    ) -> Self {
        let logical = slice.logical.as_ref();
        let (prefix, path) = match &terms.index {
            TermIndex::Path(path) => (TermPrefix::path(logical, path), path.clone()),
            TermIndex::Composite(number) => (TermPrefix::composite(logical, *number), Vec::new()),
        };
        let ranges = terms.ranges.iter().map(|(low, high)| prefix.between(low, high));
        let ranges = if terms.is_reversed { ranges.rev().collect() } else { ranges.collect() };
        let mut iterator = Self {
            slice: slice.clone(),
            prefix,
            path,
            is_reversed: terms.is_reversed,
            descending: terms.descending(),
            ranges,
            // Two levels: whether absent items are still to come, and the ordinal after which they begin.
            absent: terms.absent.then_some(None),
            absent_items: None,
            is_at_end: false,
            last_value: None,
        };
        if let Some(after) = after {
            iterator.resume(after);
        }
        iterator
    }

    pub(in crate::query::source) fn slice(&self) -> &PartitionSlice {
        &self.slice
    }

    pub(in crate::query::source) fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    /// Whether it is known without a read that nothing is left.
    pub(in crate::query::source) fn has_ended(&self) -> bool {
        self.is_at_end || self.absent.is_none() && self.ranges.is_empty()
    }

    /// Whether there may be more terms. False is certain: the ranges that are left have no entry.
    pub(in crate::query::source) async fn find_more(
        &mut self,
        reader: &PageReader,
    ) -> Result<bool> {
        let shard = self.slice.shard();
        while let Some(range) = self.ranges.front() {
            if reader.find_entry(shard, TERMS, range).await? {
                return Ok(true);
            }
            self.ranges.pop_front();
        }
        match (&self.absent, &self.absent_items) {
            (None, _) => Ok(false),
            (Some(_), Some(items)) => items.find_more(reader).await,
            (Some(after), None) => {
                let (shapes, _) = reader.find_shapes(shard).await?;
                let logical = self.slice.logical.as_ref();
                let start = AbsentStart { after: *after, is_reversed: self.is_reversed };
                AbsentPathIterator::over(&shapes, shard, logical, &self.path, start)
                    .find_more(reader)
                    .await
            }
        }
    }

    /// Records the value of the current term. Returns whether it differs from that of the previous call.
    pub(in crate::query::source) fn enter_value(&mut self, value: &Bytes) -> bool {
        let is_new = self.last_value.as_ref() != Some(value);
        if is_new {
            self.last_value = Some(value.clone());
        }
        is_new
    }

    /// Moves to the position after a term.
    fn resume(&mut self, after: &TermPosition) {
        // A composite index has real terms for absent values, so only the terms of a path are meant.
        let is_absent = !self.path.is_empty() && after.value.as_ref() == [UNDEFINED];
        if is_absent {
            self.absent = self.absent.map(|_| Some(after.ordinal));
            // In reverse, items without a value come last: all values were read.
            if self.is_reversed {
                self.ranges.clear();
            }
            return;
        }
        // Truncated strings with the same prefix are ordered by their items, not by their terms. Continue before the
        // first of them: the caller sorts the whole run again and drops what was returned.
        let prefix = prefix_of_sort_key(&after.value, &self.descending);
        let (value, ordinal) = match &prefix {
            Some(prefix) => (prefix.as_slice(), None),
            None => (after.value.as_ref(), Some(after.ordinal)),
        };
        if self.is_reversed {
            let upper = match &prefix {
                Some(prefix) => self.prefix.key(&successor(prefix.clone()), None),
                None => self.prefix.key(value, ordinal),
            };
            self.clip(|range| range.after(upper.clone(), Direction::Backward));
        } else {
            self.absent = None;
            let lower = std::ops::Bound::Included(match ordinal {
                // Saturating loses nothing: an ordinal is below 2^64 - 1, because partition numbers use 24 bits of it
                // at most.
                Some(ordinal) => self.prefix.key(value, Some(ordinal.saturating_add(1))),
                None => self.prefix.key(value, None),
            });
            self.clip(|range| KeyRange { lower: lower.clone(), upper: range.upper.clone() });
        }
    }

    /// Clips all ranges at a position. A range that lies entirely after it stays as it is: clipping would extend it
    /// back to the position.
    fn clip(&mut self, cut: impl Fn(&KeyRange) -> KeyRange) {
        let is_reversed = self.is_reversed;
        self.ranges = self
            .ranges
            .drain(..)
            .map(|range| {
                let clipped = cut(&range);
                let is_after = match is_reversed {
                    true => upper(&range) <= upper(&clipped),
                    false => lower(&range) >= lower(&clipped),
                };
                // Ranges before the position become empty and are dropped.
                if is_after { range } else { clipped }
            })
            .filter(|range| !range.is_empty())
            .collect();
    }

    /// Skips the unread terms of a value.
    pub(in crate::query::source) fn skip_value(&mut self, value: &[u8]) {
        if !self.path.is_empty() && value == [UNDEFINED] {
            (self.absent, self.absent_items) = (None, None);
            return;
        }
        // A sort key with a truncated string is not the value of any term; the caller filters such runs itself.
        if prefix_of_sort_key(value, &self.descending).is_some() {
            return;
        }
        let after = if self.is_reversed {
            self.prefix.key(value, None)
        } else {
            self.prefix.key(&successor(value.to_vec()), None)
        };
        if self.is_reversed {
            self.clip(|range| range.after(after.clone(), Direction::Backward));
        } else {
            let lower = std::ops::Bound::Included(after);
            self.clip(|range| KeyRange { lower: lower.clone(), upper: range.upper.clone() });
        }
    }

    /// The next terms in order, about as many as wanted; an empty batch only at the end.
    pub(in crate::query::source) async fn next(
        &mut self,
        reader: &mut PageReader,
        wanted: usize,
    ) -> Result<Vec<TermHit>> {
        loop {
            let mut hits = self.next_batch(reader, wanted.max(1)).await?;
            // Counted before the filter: `hits` may be empty although terms were read.
            let read = hits.len();
            self.slice.retain_own(&mut hits);
            if !hits.is_empty() || self.is_at_end {
                reader.metrics.index_hits += hits.len() as u64;
                return Ok(hits);
            }
            // A narrow slice of a large partition can reject many batches in a row.
            if read > 0 {
                reader.yield_and_check_time().await;
            }
        }
    }

    async fn next_batch(&mut self, reader: &mut PageReader, wanted: usize) -> Result<Vec<TermHit>> {
        if !self.is_reversed
            && let Some(after) = self.absent
        {
            return Box::pin(self.read_absent(reader, after, wanted)).await;
        }
        if let Some(range) = self.ranges.pop_front() {
            let (hits, rest) = self.read_range(reader, range, wanted).await?;
            if let Some(rest) = rest {
                self.ranges.push_front(rest);
            }
            return Ok(hits);
        }
        match self.absent {
            Some(after) => Box::pin(self.read_absent(reader, after, wanted)).await,
            None => {
                self.is_at_end = true;
                Ok(Vec::new())
            }
        }
    }

    async fn read_absent(
        &mut self,
        reader: &mut PageReader,
        after: Option<u64>,
        wanted: usize,
    ) -> Result<Vec<TermHit>> {
        let mut items = match self.absent_items.take() {
            Some(items) => items,
            None => {
                let logical = self.slice.logical.as_ref();
                let start = AbsentStart { after, is_reversed: self.is_reversed };
                AbsentPathIterator::open(reader, self.slice.shard(), logical, &self.path, start)
                    .await?
            }
        };
        let hits = items.next(reader, wanted).await?;
        if hits.len() < wanted {
            self.absent = None;
        } else {
            self.absent_items = Some(items);
        }
        Ok(hits)
    }

    /// Reads terms of a range; also returns what is left of it.
    async fn read_range(
        &self,
        reader: &mut PageReader,
        range: KeyRange,
        wanted: usize,
    ) -> Result<(Vec<TermHit>, Option<KeyRange>)> {
        let direction = if self.is_reversed { Direction::Backward } else { Direction::Forward };
        let limit = ScanLimit::entries(wanted);
        let scan = Scan { range: range.clone(), direction, limit };
        let page = reader.scan_terms(self.slice.shard(), &scan).await?;
        let last = page.entries.last().filter(|_| page.more);
        // `more` without an entry cannot happen: a scan returns at least one entry if there is one.
        let rest = last.map(|last| range.after(last.key.clone(), direction));
        let hits = self.prefix.decode(page.entries).ok_or_else(damaged)?;
        Ok((hits, rest))
    }
}

fn damaged() -> Error {
    Error::corrupt("an index term is damaged")
}
