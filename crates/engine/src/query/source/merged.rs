//! Items that a lookup finds, merged over all pieces.
//!
//! Owns the order of an answer that is computed as a whole and given in pages: branch by branch, by value and
//! ordinal, however the container is partitioned. So the answer of the next page is the same one, also after a split
//! or merge. Opens all pieces at once; what is read row by row goes through `lookup` instead, one piece after the
//! other.

use std::collections::VecDeque;

use super::candidate::{Batch, Candidate};
use super::index_values::IndexValues;
use super::loading::Loading;
use super::lookup::{is_given_here, tested};
use super::narrow::Narrow;
use super::reading::Reading;
use super::term::{Branch, TermWalk};
use crate::error::Result;
use crate::key_layout::TermHit;
use crate::query::part::Piece;
use crate::query::token::Place;

/// A lookup under way in all pieces.
pub(in crate::query) struct MergedLookup {
    pieces: Vec<Piece>,
    branches: Vec<Branch>,
    branch: usize,
    /// None until the branch is opened.
    streams: Option<Vec<Stream>>,
    loading: Loading,
}

struct Stream {
    walk: TermWalk,
    narrow: Narrow,
    buffer: VecDeque<TermHit>,
}

impl MergedLookup {
    pub(super) fn new(
        pieces: &[Piece],
        branches: Vec<Branch>,
        values: Option<IndexValues>,
    ) -> Self {
        let is_simple = match branches.as_slice() {
            [only] => !only.walked.is_over_elements(),
            _ => false,
        };
        let loading = Loading::new(values.filter(|_| is_simple));
        Self { pieces: pieces.to_vec(), branches, branch: 0, streams: None, loading }
    }

    pub(in crate::query) async fn next(
        &mut self,
        reading: &mut Reading,
        wanted: usize,
    ) -> Result<Batch> {
        let mut batch = Batch { candidates: Vec::new(), reached: None, is_last: true };
        let Some(branch) = self.branches.get(self.branch) else { return Ok(batch) };
        let mut streams = match self.streams.take() {
            Some(streams) => streams,
            None => open(reading, &self.pieces, branch).await?,
        };
        let wanted = reading.batch_items(wanted);
        let mut hits = Vec::new();
        while hits.len() < wanted {
            for stream in &mut streams {
                stream.refill(reading, branch, wanted).await?;
            }
            let filled = streams.iter_mut().filter(|stream| !stream.buffer.is_empty());
            let least = filled.min_by(|left, right| left.front().cmp(&right.front()));
            let Some(stream) = least else { break };
            let shard = stream.walk.piece().shard();
            hits.extend(stream.buffer.pop_front().map(|hit| (shard, hit)));
        }
        let contents = self.loading.contents(reading, &mut hits).await?;
        for ((_, hit), content) in hits.iter().zip(contents) {
            let Some(content) = content else { continue };
            if is_given_here(&self.branches, self.branch, &content, hit)? {
                let place = Place::Start;
                batch.candidates.push(Candidate { ordinal: hit.ordinal, content, place });
            }
        }
        if hits.len() < wanted {
            self.branch += 1;
        } else {
            self.streams = Some(streams);
        }
        batch.is_last = self.branch >= self.branches.len();
        Ok(batch)
    }
}

async fn open(reading: &mut Reading, pieces: &[Piece], branch: &Branch) -> Result<Vec<Stream>> {
    let mut streams = Vec::with_capacity(pieces.len());
    for piece in pieces {
        streams.push(Stream {
            walk: TermWalk::new(piece, &branch.terms, None),
            narrow: Narrow::open(reading, piece, branch, None).await?,
            buffer: VecDeque::new(),
        });
    }
    Ok(streams)
}

impl Stream {
    fn front(&self) -> Option<(&[u8], u64)> {
        self.buffer.front().map(|hit| (hit.value.as_ref(), hit.ordinal))
    }

    async fn refill(
        &mut self,
        reading: &mut Reading,
        branch: &Branch,
        wanted: usize,
    ) -> Result<()> {
        while self.buffer.is_empty() {
            if self.narrow.is_at_end().unwrap_or_else(|| self.walk.is_at_end()) {
                return Ok(());
            }
            let hits = match self.narrow.gathered(wanted) {
                Some(hits) => hits,
                None => self.walk.next(reading, wanted).await?,
            };
            let hits = tested(reading, branch, &mut self.walk, hits);
            self.buffer.extend(self.narrow.keep(reading, hits).await?);
        }
        Ok(())
    }
}
