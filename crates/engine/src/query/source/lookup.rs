//! Items that a lookup finds, piece by piece.
//!
//! Owns the walk over pieces and branches. An item that several terms lead to is given at the first of them: the
//! first branch that finds it, the least value in it. The place is an epk range, a branch and a term; it holds as
//! long as the lookups of the query are the same.

use std::collections::VecDeque;

use model::EpkRange;

use super::candidate::{Batch, Candidate, Content};
use super::index_values::IndexValues;
use super::loading::Loading;
use super::narrow::Narrow;
use super::reading::Reading;
use super::term::{Branch, Decoded, TermWalk, decode};
use crate::error::Result;
use crate::key_layout::TermHit;
use crate::query::part::Piece;
use crate::query::token::{BegunPart, Place, TermPlace};

/// A lookup under way.
pub(in crate::query) struct LookupWalk {
    branches: Vec<Branch>,
    left: VecDeque<Start>,
    current: Option<Current>,
    loading: Loading,
}

/// A piece, and where in it to begin.
struct Start {
    piece: Piece,
    branch: usize,
    after: Option<TermPlace>,
}

struct Current {
    piece: Piece,
    branch: usize,
    walk: TermWalk,
    narrow: Narrow,
}

impl LookupWalk {
    pub(super) fn new(
        pieces: &[Piece],
        branches: Vec<Branch>,
        values: Option<IndexValues>,
        place: Option<&[BegunPart]>,
    ) -> Self {
        let mut left = VecDeque::new();
        for piece in pieces {
            match place {
                Some(parts) => left.extend(resumed(piece, parts)),
                None => left.push_back(Start { piece: piece.clone(), branch: 0, after: None }),
            }
        }
        // What an earlier branch has given can only be known from the item.
        let is_simple = match branches.as_slice() {
            [only] => !only.walked.is_over_elements(),
            _ => false,
        };
        let loading = Loading::new(values.filter(|_| is_simple));
        Self { branches, left, current: None, loading }
    }

    pub(in crate::query) async fn next(
        &mut self,
        reading: &mut Reading,
        wanted: usize,
    ) -> Result<Batch> {
        let mut batch = Batch { candidates: Vec::new(), reached: None, is_last: false };
        let Some(mut current) = self.open(reading).await? else {
            batch.is_last = true;
            return Ok(batch);
        };
        let Some(branch) = self.branches.get(current.branch) else { return Ok(batch) };
        let wanted = reading.batch_items(wanted);
        let hits = current.hits(reading, branch, wanted).await?;
        batch.reached = hits.last().map(|hit| self.place(&current, hit));
        let hits = tested(reading, branch, &mut current.walk, hits);
        let hits = current.narrow.keep(reading, hits).await?;
        let shard = current.piece.shard();
        let mut hits: Vec<_> = hits.into_iter().map(|hit| (shard, hit)).collect();
        let contents = self.loading.contents(reading, &mut hits).await?;
        for ((_, hit), content) in hits.iter().zip(contents) {
            let Some(content) = content else { continue };
            if is_given_here(&self.branches, current.branch, &content, hit)? {
                let place = self.place(&current, hit);
                batch.candidates.push(Candidate { ordinal: hit.ordinal, content, place });
            }
        }
        if current.is_at_end() {
            self.advance(current);
        } else {
            self.current = Some(current);
        }
        batch.is_last = self.current.is_none() && self.left.is_empty();
        Ok(batch)
    }

    async fn open(&mut self, reading: &mut Reading) -> Result<Option<Current>> {
        if let Some(current) = self.current.take() {
            return Ok(Some(current));
        }
        let Some(start) = self.left.pop_front() else { return Ok(None) };
        let Some(branch) = self.branches.get(start.branch) else { return Ok(None) };
        let after = start.after.as_ref();
        let walk = TermWalk::new(&start.piece, &branch.terms, after);
        let narrow = Narrow::open(reading, &start.piece, branch, after).await?;
        Ok(Some(Current { piece: start.piece, branch: start.branch, walk, narrow }))
    }

    /// Goes to the next branch of the same piece; pieces follow by themselves.
    fn advance(&mut self, ended: Current) {
        let branch = ended.branch + 1;
        if branch < self.branches.len() {
            self.left.push_front(Start { piece: ended.piece, branch, after: None });
        }
    }

    /// The place behind a term. What is left of an older place stays part of it.
    fn place(&self, current: &Current, hit: &TermHit) -> Place {
        let part = |piece: &Piece, branch: usize, term: TermPlace| BegunPart {
            range: piece.range.clone(),
            branch: u32::try_from(branch).unwrap_or(u32::MAX),
            term,
        };
        let term = TermPlace { value: hit.value.clone(), ordinal: hit.ordinal };
        let mut parts = vec![part(&current.piece, current.branch, term)];
        for start in &self.left {
            let Some(after) = &start.after else { break };
            parts.push(part(&start.piece, start.branch, after.clone()));
        }
        Place::Lookup(parts)
    }
}

impl Current {
    async fn hits(
        &mut self,
        reading: &mut Reading,
        _branch: &Branch,
        wanted: usize,
    ) -> Result<Vec<TermHit>> {
        match self.narrow.gathered(wanted) {
            Some(hits) => Ok(hits),
            None => self.walk.next(reading, wanted).await,
        }
    }

    fn is_at_end(&self) -> bool {
        self.narrow.is_at_end().unwrap_or_else(|| self.walk.is_at_end())
    }
}

/// The parts of a piece that are left at a place.
fn resumed(piece: &Piece, parts: &[BegunPart]) -> Vec<Start> {
    let mut starts = Vec::new();
    for part in parts {
        if let Some(range) = piece.range.intersect(&part.range) {
            starts.push(Start {
                piece: Piece { range, ..piece.clone() },
                branch: usize::try_from(part.branch).unwrap_or(usize::MAX),
                after: Some(part.term.clone()),
            });
        }
    }
    let begun = parts.last().map_or(&piece.range.min, |last| &last.range.max);
    let rest = EpkRange { min: begun.clone(), max: piece.range.max.clone() };
    if let Some(range) = piece.range.intersect(&rest) {
        let piece = Piece { range, ..piece.clone() };
        starts.push(Start { piece, branch: 0, after: None });
    }
    starts
}

/// Asks the test once for each value; a value that fails is passed over with all its items.
pub(super) fn tested(
    reading: &mut Reading,
    branch: &Branch,
    walk: &mut TermWalk,
    hits: Vec<TermHit>,
) -> Vec<TermHit> {
    if branch.walked.test.is_none() {
        return hits;
    }
    let mut kept = Vec::with_capacity(hits.len());
    for run in hits.chunk_by(|left, right| left.value == right.value) {
        let Some(first) = run.first() else { continue };
        if walk.is_new_value(&first.value) {
            reading.bill.counters.index_entries += 1;
        }
        let passes = match decode(&first.value) {
            Some((Decoded::Value(value), _)) => branch.walked.passes(&value),
            _ => true,
        };
        if passes {
            kept.extend_from_slice(run);
        } else {
            walk.skip_value(&first.value);
        }
    }
    kept
}

/// Whether a term is the one at which its item is given.
pub(super) fn is_given_here(
    branches: &[Branch],
    branch: usize,
    content: &Content,
    hit: &TermHit,
) -> Result<bool> {
    let Some(own) = branches.get(branch) else { return Ok(false) };
    let Content::Record(record) = content else { return Ok(true) };
    let is_over_elements = own.walked.is_over_elements();
    if branches.len() == 1 && !is_over_elements {
        return Ok(true);
    }
    let item = record.parse()?;
    let mut earlier = branches.iter().take(branch);
    // An item that the branch is not for may be given by a later one.
    Ok(own.matches(&item)
        && !earlier.any(|earlier| earlier.matches(&item))
        && (!is_over_elements || own.walked.is_first_term(&item, &hit.value)))
}
