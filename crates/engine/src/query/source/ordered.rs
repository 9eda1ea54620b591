//! Items in the order of an index, across all pieces.
//!
//! Owns the merge: each piece gives its terms in order, and the least comes next. Ties go by ordinal, which no two
//! items of a container share, so the order does not depend on how the container is partitioned, and one place is
//! enough to go on from after any split or merge. Strings that share a long beginning are put in order by their
//! items.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use storage::Shard;

use super::candidate::{Batch, Candidate};
use super::index_values::IndexValues;
use super::loading::Loading;
use super::reading::Reading;
use super::term::{TermWalk, Terms, cut_beginning, parse_paths, uncut, values_at};
use crate::error::Result;
use crate::key_layout::TermHit;
use crate::query::part::Piece;
use crate::query::token::{Place, TermPlace};

/// Terms of all pieces, merged.
pub(in crate::query) struct OrderedWalk {
    streams: Vec<Stream>,
    is_reversed: bool,
    loading: Loading,
    /// Whether of equal values only the first is wanted; then the last value given.
    distinct: Option<Option<Bytes>>,
}

/// The terms of one piece.
struct Stream {
    walk: TermWalk,
    buffer: VecDeque<Ranked>,
    /// Terms read behind a run of cut strings.
    spare: VecDeque<TermHit>,
    terms: Arc<Terms>,
    descending: Vec<bool>,
    after: Option<TermPlace>,
}

/// A term with the bytes it is ordered by.
struct Ranked {
    /// None: those of its value.
    uncut: Option<Bytes>,
    hit: TermHit,
}

impl OrderedWalk {
    pub(super) fn new(
        pieces: &[Piece],
        terms: Terms,
        values: Option<IndexValues>,
        after: Option<&TermPlace>,
    ) -> Self {
        let terms = Arc::new(terms);
        let streams = pieces.iter().map(|piece| Stream {
            walk: TermWalk::new(piece, &terms, after),
            buffer: VecDeque::new(),
            spare: VecDeque::new(),
            terms: Arc::clone(&terms),
            descending: terms.descending(),
            after: after.cloned(),
        });
        Self {
            streams: streams.collect(),
            is_reversed: terms.is_reversed,
            loading: Loading::new(values),
            distinct: None,
        }
    }

    /// Of equal values, only the first is given; a page goes on behind the value it ended with.
    pub(in crate::query) fn distinct(mut self, after: Option<&TermPlace>) -> Self {
        let last = after.map(|after| after.value.clone());
        if let Some(last) = &last {
            for stream in &mut self.streams {
                stream.walk.skip_value(last);
            }
        }
        self.distinct = Some(last);
        self
    }

    pub(in crate::query) async fn next(
        &mut self,
        reading: &mut Reading,
        wanted: usize,
    ) -> Result<Batch> {
        let wanted = reading.batch_items(wanted);
        let mut hits = self.straight(reading, wanted).await?;
        let (straight, mut uncut) = (hits.len(), Vec::new());
        while hits.len() < wanted {
            for stream in self.streams.iter_mut().filter(|stream| stream.buffer.is_empty()) {
                stream.refill(reading, &mut self.loading, wanted).await?;
            }
            let Some((shard, ranked)) = self.least() else { break };
            uncut.push(ranked.uncut);
            hits.push((shard, ranked.hit));
        }
        let contents = self.loading.contents(reading, &mut hits).await?;
        let last_uncut = uncut.last().and_then(Option::as_ref);
        let last = hits
            .last()
            .map(|(_, hit)| placed(last_uncut.unwrap_or(&hit.value).clone(), hit.ordinal));
        let uncut = std::iter::repeat_n(None, straight).chain(uncut);
        let candidates = Vec::with_capacity(hits.len());
        let mut batch = Batch { candidates, reached: last, is_last: hits.len() < wanted };
        for (((_, hit), uncut), content) in hits.into_iter().zip(uncut).zip(contents) {
            let Some(content) = content else { continue };
            let (ordinal, rank) = (hit.ordinal, uncut.unwrap_or(hit.value));
            if let Some(last) = &mut self.distinct {
                if last.as_ref() == Some(&rank) {
                    continue;
                }
                *last = Some(rank.clone());
                for stream in &mut self.streams {
                    stream.skip_value(&rank);
                }
            }
            let place = placed(rank, ordinal);
            batch.candidates.push(Candidate { ordinal, content, place });
        }
        Ok(batch)
    }

    /// The next terms of the only piece as they come, up to the first whose item must be looked at to put it in order.
    /// Of several pieces none: they are merged.
    async fn straight(
        &mut self,
        reading: &mut Reading,
        wanted: usize,
    ) -> Result<Vec<(Shard, TermHit)>> {
        let mut hits = Vec::with_capacity(wanted);
        let [stream] = self.streams.as_mut_slice() else { return Ok(hits) };
        let shard = stream.walk.piece().shard();
        while stream.is_drained() && hits.len() < wanted && !stream.walk.is_at_end() {
            let mut read = stream.walk.next(reading, wanted).await?;
            let is_cut = |hit: &TermHit| cut_beginning(&hit.value, &stream.descending).is_some();
            let plain = read.iter().position(is_cut).unwrap_or(read.len());
            stream.spare.extend(read.drain(plain.min(wanted - hits.len())..));
            hits.extend(read.into_iter().map(|hit| (shard, hit)));
        }
        Ok(hits)
    }

    /// Takes the first of all pieces, whose buffers are filled unless nothing is left of them.
    fn least(&mut self) -> Option<(Shard, Ranked)> {
        let is_reversed = self.is_reversed;
        let first = self.streams.iter_mut().filter(|stream| !stream.buffer.is_empty());
        let first = first.min_by(|left, right| match (left.buffer.front(), right.buffer.front()) {
            (Some(left), Some(right)) => left.compare(right, is_reversed),
            (left, right) => right.is_some().cmp(&left.is_some()),
        });
        let stream = first?;
        let shard = stream.walk.piece().shard();
        stream.buffer.pop_front().map(|ranked| (shard, ranked))
    }
}

/// The place behind a term.
fn placed(value: Bytes, ordinal: u64) -> Place {
    Place::Ordered(TermPlace { value, ordinal })
}

impl Ranked {
    fn rank(&self) -> &Bytes {
        self.uncut.as_ref().unwrap_or(&self.hit.value)
    }

    fn compare(&self, other: &Self, is_reversed: bool) -> Ordering {
        let order = self.rank().cmp(other.rank());
        let order = if is_reversed { order.reverse() } else { order };
        order.then(self.hit.ordinal.cmp(&other.hit.ordinal))
    }
}

impl Stream {
    /// Whether everything that was read of it has been given.
    fn is_drained(&self) -> bool {
        self.buffer.is_empty() && self.spare.is_empty()
    }

    fn skip_value(&mut self, value: &Bytes) {
        self.buffer.retain(|ranked| ranked.rank() != value);
        self.spare.retain(|hit| hit.value != *value);
        self.walk.skip_value(value);
    }

    async fn refill(
        &mut self,
        reading: &mut Reading,
        loading: &mut Loading,
        wanted: usize,
    ) -> Result<()> {
        while self.buffer.is_empty() {
            let Some(hit) = self.take(reading, wanted).await? else { return Ok(()) };
            match cut_beginning(&hit.value, &self.descending) {
                Some(beginning) => {
                    self.spare.push_front(hit);
                    // Rare and large.
                    Box::pin(self.rank_run(reading, loading, &beginning)).await?;
                }
                None => self.buffer.push_back(Ranked { uncut: None, hit }),
            }
            self.drain_plain();
        }
        Ok(())
    }

    /// Terms at hand that hold their whole value need no item to be ranked.
    fn drain_plain(&mut self) {
        let descending = &self.descending;
        while let Some(hit) =
            self.spare.pop_front_if(|hit| cut_beginning(&hit.value, descending).is_none())
        {
            self.buffer.push_back(Ranked { uncut: None, hit });
        }
    }

    async fn take(&mut self, reading: &mut Reading, wanted: usize) -> Result<Option<TermHit>> {
        while self.spare.is_empty() && !self.walk.is_at_end() {
            self.spare.extend(self.walk.next(reading, wanted).await?);
        }
        Ok(self.spare.pop_front())
    }

    /// Reads all strings of one beginning and puts them in order by their items.
    async fn rank_run(
        &mut self,
        reading: &mut Reading,
        loading: &mut Loading,
        beginning: &[u8],
    ) -> Result<()> {
        let mut run = Vec::new();
        while let Some(hit) = self.take(reading, 64).await? {
            if !hit.value.starts_with(beginning) {
                self.spare.push_front(hit);
                break;
            }
            run.push(hit);
        }
        let mut ranked = Vec::new();
        let shard = self.walk.piece().shard();
        for part in run.chunks(64) {
            let records = loading.records(reading, shard, part).await?;
            for (hit, record) in part.iter().zip(records) {
                let Some(record) = record else { continue };
                let item = parse_paths(&record, &self.terms.paths)?;
                let values = self.terms.paths.iter().map(|(path, is_descending)| {
                    (values_at(&item, path).into_iter().next(), *is_descending)
                });
                let uncut = Some(uncut(&values.collect::<Vec<_>>()).into());
                ranked.push(Ranked { uncut, hit: hit.clone() });
            }
        }
        ranked.sort_by(|left, right| left.compare(right, self.terms.is_reversed));
        if let Some(after) = &self.after {
            let done = TermHit { value: Bytes::new(), ordinal: after.ordinal, key: Bytes::new() };
            let done = Ranked { uncut: Some(after.value.clone()), hit: done };
            ranked.retain(|one| one.compare(&done, self.terms.is_reversed) == Ordering::Greater);
        }
        self.buffer.extend(ranked);
        Ok(())
    }
}
