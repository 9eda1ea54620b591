//! The terms of one path or composite index in one piece of a container, in order.
//!
//! Owns the walk in both directions, from any place on, and the skipping of a value. Items of one value always come
//! in the order of their ordinals, also when values are walked backwards: so the order of a query does not depend on
//! how it is read. Does not own items.

use std::collections::VecDeque;

use ::query::plan::condition::ItemPath;
use bytes::Bytes;
use storage::{Direction, KeyRange, Scan, ScanLimit};

use super::absent::AbsentWalk;
use super::value_bytes::{ByteRange, beginning_of_uncut, successor};
use crate::error::{Error, Result};
use crate::key_layout::{TermHit, TermPrefix};
use crate::ordered_bytes::UNDEFINED;
use crate::query::part::Piece;
use crate::query::source::reading::Reading;
use crate::query::token::TermPlace;

/// What is walked.
#[derive(Clone, Debug)]
pub(in crate::query::source) struct Terms {
    pub(in crate::query::source) index: TermIndex,
    /// Whose values the terms hold, and which of them are in descending order.
    pub(in crate::query::source) paths: Vec<(ItemPath, bool)>,
    /// The values, ascending.
    pub(in crate::query::source) ranges: Vec<ByteRange>,
    /// Whether items without a value belong to it; a composite index has terms for them.
    pub(in crate::query::source) absent: bool,
    pub(in crate::query::source) is_reversed: bool,
}

/// Which index.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::query::source) enum TermIndex {
    /// That of a path, as terms hold it.
    Path(Vec<u8>),
    /// A composite one, by its number.
    Composite(u64),
}

impl Terms {
    /// Which values of a term are in descending order.
    pub(in crate::query::source) fn descending(&self) -> Vec<bool> {
        self.paths.iter().map(|(_, is_descending)| *is_descending).collect()
    }
}

/// A walk under way.
pub(in crate::query::source) struct TermWalk {
    piece: Piece,
    prefix: TermPrefix,
    path: Vec<u8>,
    is_reversed: bool,
    descending: Vec<bool>,
    /// Ranges left, in the order of the walk.
    ranges: VecDeque<KeyRange>,
    /// Items without a value, still to come: behind this ordinal.
    absent: Option<Option<u64>>,
    absent_walk: Option<AbsentWalk>,
    /// Terms of one value that are not read yet, walked forwards although the values are walked backwards.
    run: Option<KeyRange>,
    /// Terms of the same value that were read before them and come behind them, in order.
    behind_run: Vec<TermHit>,
    is_at_end: bool,
    /// The value that was asked for last, since many terms may share it.
    last_value: Option<Bytes>,
}

impl TermWalk {
    pub(in crate::query::source) fn new(
        piece: &Piece,
        terms: &Terms,
        after: Option<&TermPlace>,
    ) -> Self {
        let logical = piece.logical.as_ref();
        let (prefix, path) = match &terms.index {
            TermIndex::Path(path) => (TermPrefix::path(logical, path), path.clone()),
            TermIndex::Composite(number) => (TermPrefix::composite(logical, *number), Vec::new()),
        };
        let ranges = terms.ranges.iter().map(|(low, high)| prefix.between(low, high));
        let ranges = if terms.is_reversed { ranges.rev().collect() } else { ranges.collect() };
        let mut walk = Self {
            piece: piece.clone(),
            prefix,
            path,
            is_reversed: terms.is_reversed,
            descending: terms.descending(),
            ranges,
            absent: terms.absent.then_some(None),
            absent_walk: None,
            run: None,
            behind_run: Vec::new(),
            is_at_end: false,
            last_value: None,
        };
        if let Some(after) = after {
            walk.resume(after);
        }
        walk
    }

    pub(in crate::query::source) fn piece(&self) -> &Piece {
        &self.piece
    }

    pub(in crate::query::source) fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    /// Whether a value is another than the one asked for last.
    pub(in crate::query::source) fn is_new_value(&mut self, value: &Bytes) -> bool {
        let is_new = self.last_value.as_ref() != Some(value);
        if is_new {
            self.last_value = Some(value.clone());
        }
        is_new
    }

    fn resume(&mut self, after: &TermPlace) {
        let is_absent = !self.path.is_empty() && after.value.as_ref() == [UNDEFINED];
        if is_absent {
            self.absent = self.absent.map(|_| Some(after.ordinal));
            if self.is_reversed {
                self.ranges.clear();
            }
            return;
        }
        // Strings that share a beginning are read again and put in order again.
        let beginning = beginning_of_uncut(&after.value, &self.descending);
        let (value, ordinal) = match &beginning {
            Some(beginning) => (beginning.as_slice(), None),
            None => (after.value.as_ref(), Some(after.ordinal)),
        };
        if self.is_reversed {
            let upper = match &beginning {
                Some(beginning) => self.prefix.key(&successor(beginning.clone()), None),
                None => {
                    let run = self.prefix.with(value);
                    let last = self.prefix.key(value, ordinal);
                    self.run = Some(run.after(last, Direction::Forward));
                    self.prefix.key(value, None)
                }
            };
            self.clip(|range| range.after(upper.clone(), Direction::Backward));
        } else {
            self.absent = None;
            let lower = std::ops::Bound::Included(match ordinal {
                Some(ordinal) => self.prefix.key(value, Some(ordinal.saturating_add(1))),
                None => self.prefix.key(value, None),
            });
            self.clip(|range| KeyRange { lower: lower.clone(), upper: range.upper.clone() });
        }
    }

    /// Cuts off what lies before a place. A range that lies behind it as a whole is left alone.
    fn clip(&mut self, cut: impl Fn(&KeyRange) -> KeyRange) {
        let is_reversed = self.is_reversed;
        self.ranges = self
            .ranges
            .drain(..)
            .map(|range| {
                let clipped = cut(&range);
                let is_behind = match is_reversed {
                    true => upper(&range) <= upper(&clipped),
                    false => lower(&range) >= lower(&clipped),
                };
                if is_behind { range } else { clipped }
            })
            .filter(|range| !range.is_empty())
            .collect();
    }

    /// Passes over the terms of a value that are not read yet.
    pub(in crate::query::source) fn skip_value(&mut self, value: &[u8]) {
        if !self.path.is_empty() && value == [UNDEFINED] {
            (self.absent, self.absent_walk) = (None, None);
            return;
        }
        // No term has such a value: its string is cut.
        if beginning_of_uncut(value, &self.descending).is_some() {
            return;
        }
        let start = self.prefix.key(value, None);
        if self.run.as_ref().is_some_and(|run| lower(run).starts_with(&start)) {
            self.run = None;
            self.behind_run.clear();
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

    /// The next terms in order, at most as many as wanted; none only at the end. Terms of other pieces of the same
    /// partition are left out.
    pub(in crate::query::source) async fn next(
        &mut self,
        reading: &mut Reading,
        wanted: usize,
    ) -> Result<Vec<TermHit>> {
        loop {
            let mut hits = self.step(reading, wanted.max(1)).await?;
            let read = hits.len();
            self.keep_own(&mut hits);
            if !hits.is_empty() || self.is_at_end {
                reading.metrics.index_hits += hits.len() as u64;
                return Ok(hits);
            }
            if read > 0 {
                reading.breathe().await;
            }
        }
    }

    fn keep_own(&self, hits: &mut Vec<TermHit>) {
        if self.piece.logical.is_some() || self.piece.is_whole_partition() {
            return;
        }
        let keys = self.piece.item_keys();
        hits.retain(|hit| keys.contains(&hit.key));
    }

    async fn step(&mut self, reading: &mut Reading, wanted: usize) -> Result<Vec<TermHit>> {
        if let Some(run) = self.run.take() {
            let (mut hits, rest) = self.forward(reading, run, wanted).await?;
            if rest.is_none() {
                hits.append(&mut self.behind_run);
            }
            self.run = rest;
            return Ok(hits);
        }
        if !self.is_reversed
            && let Some(after) = self.absent
        {
            return Box::pin(self.absent(reading, after, wanted)).await;
        }
        if let Some(range) = self.ranges.pop_front() {
            if self.is_reversed {
                return self.backward(reading, range, wanted).await;
            }
            let (hits, rest) = self.forward(reading, range, wanted).await?;
            if let Some(rest) = rest {
                self.ranges.push_front(rest);
            }
            return Ok(hits);
        }
        match self.absent {
            Some(after) => Box::pin(self.absent(reading, after, wanted)).await,
            None => {
                self.is_at_end = true;
                Ok(Vec::new())
            }
        }
    }

    async fn absent(
        &mut self,
        reading: &mut Reading,
        after: Option<u64>,
        wanted: usize,
    ) -> Result<Vec<TermHit>> {
        let mut walk = match self.absent_walk.take() {
            Some(walk) => walk,
            None => {
                let logical = self.piece.logical.as_ref();
                AbsentWalk::open(reading, self.piece.shard(), logical, &self.path, after).await?
            }
        };
        let hits = walk.next(reading, wanted).await?;
        if hits.len() < wanted {
            self.absent = None;
        } else {
            self.absent_walk = Some(walk);
        }
        Ok(hits)
    }

    async fn forward(
        &self,
        reading: &mut Reading,
        range: KeyRange,
        wanted: usize,
    ) -> Result<(Vec<TermHit>, Option<KeyRange>)> {
        let scan = Scan::forward(range.clone(), ScanLimit::entries(wanted));
        let page = reading.scan_terms(self.piece.shard(), &scan).await?;
        let last = page.entries.last().filter(|_| page.more);
        let rest = last.map(|last| range.after(last.key.clone(), Direction::Forward));
        let hits = self.prefix.decode(page.entries).ok_or_else(damaged)?;
        Ok((hits, rest))
    }

    /// Values backwards, each with its items forwards. The last value of a batch may have more items than were read.
    /// They come first, so they are looked for before the others are given; no term is read twice.
    async fn backward(
        &mut self,
        reading: &mut Reading,
        range: KeyRange,
        wanted: usize,
    ) -> Result<Vec<TermHit>> {
        let scan = Scan::backward(range.clone(), ScanLimit::entries(wanted));
        let page = reading.scan_terms(self.piece.shard(), &scan).await?;
        let mut hits = self.prefix.decode(page.entries).ok_or_else(damaged)?;
        if page.more
            && let Some(last) = hits.last().cloned()
        {
            let read = hits.iter().rev().take_while(|hit| hit.value == last.value).count();
            self.behind_run = hits.split_off(hits.len() - read);
            self.behind_run.reverse();
            let first_read = self.prefix.key(&last.value, Some(last.ordinal));
            let run = self.prefix.with(&last.value);
            self.run = Some(run.after(first_read, Direction::Backward));
            let start = self.prefix.key(&last.value, None);
            self.ranges.push_front(range.after(start, Direction::Backward));
        }
        Ok(forwards_within_values(&hits))
    }
}

fn forwards_within_values(hits: &[TermHit]) -> Vec<TermHit> {
    let mut ordered = Vec::with_capacity(hits.len());
    for run in hits.chunk_by(|left, right| left.value == right.value) {
        ordered.extend(run.iter().rev().cloned());
    }
    ordered
}

fn lower(range: &KeyRange) -> Bytes {
    match &range.lower {
        std::ops::Bound::Included(key) | std::ops::Bound::Excluded(key) => key.clone(),
        std::ops::Bound::Unbounded => Bytes::new(),
    }
}

fn upper(range: &KeyRange) -> Option<Bytes> {
    match &range.upper {
        std::ops::Bound::Included(key) | std::ops::Bound::Excluded(key) => Some(key.clone()),
        std::ops::Bound::Unbounded => None,
    }
}

fn damaged() -> Error {
    Error::corrupt("an index term is damaged")
}
