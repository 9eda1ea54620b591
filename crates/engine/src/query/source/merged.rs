//! Items that a lookup finds, in an order that splits and merges do not change.
//!
//! Owns the merge of the lookups of all pieces, by branch, value and ordinal. An answer that is computed again for each
//! page needs it: which of two equal rows comes first must not depend on how the container is partitioned.

use std::cmp::Ordering;
use std::collections::VecDeque;

use super::candidate::{Batch, Candidate};
use super::lookup::LookupWalk;
use super::reading::Reading;
use crate::error::Result;
use crate::query::token::Place;

/// Lookups under way, one for each piece.
pub(in crate::query) struct MergedLookup {
    streams: Vec<Stream>,
}

struct Stream {
    walk: LookupWalk,
    buffer: VecDeque<Candidate>,
    is_last: bool,
}

impl MergedLookup {
    pub(super) fn new(walks: impl IntoIterator<Item = LookupWalk>) -> Self {
        let begin = |walk| Stream { walk, buffer: VecDeque::new(), is_last: false };
        Self { streams: walks.into_iter().map(begin).collect() }
    }

    pub(in crate::query) async fn next(
        &mut self,
        reading: &mut Reading,
        wanted: usize,
    ) -> Result<Batch> {
        let wanted = reading.batch_items(wanted);
        let mut batch = Batch { candidates: Vec::new(), reached: None, is_last: false };
        while batch.candidates.len() < wanted {
            for stream in &mut self.streams {
                stream.refill(reading, wanted).await?;
            }
            let first = self.streams.iter_mut().filter(|stream| !stream.buffer.is_empty());
            let first =
                first.min_by(|left, right| compare(left.buffer.front(), right.buffer.front()));
            let Some(candidate) = first.and_then(|stream| stream.buffer.pop_front()) else {
                batch.is_last = true;
                break;
            };
            batch.candidates.push(candidate);
        }
        Ok(batch)
    }
}

impl Stream {
    async fn refill(&mut self, reading: &mut Reading, wanted: usize) -> Result<()> {
        while self.buffer.is_empty() && !self.is_last {
            let batch = self.walk.next(reading, wanted).await?;
            self.buffer.extend(batch.candidates);
            self.is_last = batch.is_last;
        }
        Ok(())
    }
}

fn compare(left: Option<&Candidate>, right: Option<&Candidate>) -> Ordering {
    let rank = |candidate: &Candidate| match &candidate.place {
        Place::Lookup(begun) => {
            begun.first().map(|begun| (begun.branch, begun.term.value.clone(), begun.term.ordinal))
        }
        _ => None,
    };
    left.and_then(rank).cmp(&right.and_then(rank))
}
