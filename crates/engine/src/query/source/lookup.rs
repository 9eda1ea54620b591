//! Items that a lookup finds, piece by piece.
//!
//! Owns the walk over pieces and branches. An item that several terms lead to is given at the first of them: the first
//! branch that finds it, the least value in it. The place is an epk range, a branch and a term; it holds as long as the
//! lookups of the query are the same. After a split of that range, each half has a place of its own.

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
use crate::query::token::{Begun, Place, TermPlace};

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
        place: Option<&[Begun]>,
    ) -> Self {
        let mut left = VecDeque::new();
        for piece in pieces {
            match place {
                Some(begun) => left.extend(resumed(piece, begun)),
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
        let later: Vec<Begun> = self.left.iter().map_while(Start::begun).collect();
        batch.reached = hits.last().map(|hit| current.place(hit, &later));
        let hits = tested(branch, &mut current.walk, hits);
        let hits = current.narrow.keep(reading, hits).await?;
        let shard = current.piece.shard();
        let hits: Vec<_> = hits.into_iter().map(|hit| (shard, hit)).collect();
        let contents = self.loading.contents(reading, &hits).await?;
        for ((_, hit), content) in hits.iter().zip(contents) {
            let Some(content) = content else { continue };
            if self.is_first(current.branch, &content, hit)? {
                let place = current.place(hit, &later);
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

    /// Whether a term is the one at which its item is given.
    fn is_first(&self, branch: usize, content: &Content, hit: &TermHit) -> Result<bool> {
        let Some(own) = self.branches.get(branch) else { return Ok(false) };
        let Content::Record(record) = content else { return Ok(true) };
        if self.branches.len() == 1 && !own.walked.is_over_elements() {
            return Ok(true);
        }
        let item = record.parse()?;
        // A term may lead to an item that its branch does not mean: long strings are cut, and narrowing is not always
        // tried. Such an item is left to the branch that means it.
        let is_meant = self.branches.len() == 1 || own.finds(&item);
        let mut earlier = self.branches.iter().take(branch);
        if !is_meant || earlier.any(|earlier| earlier.finds(&item)) {
            return Ok(false);
        }
        Ok(!own.walked.is_over_elements() || own.walked.is_first_term(&item, &hit.value))
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

    /// After a term; `later` ranges are begun as well.
    fn place(&self, hit: &TermHit, later: &[Begun]) -> Place {
        let begun = Begun {
            range: self.piece.range.clone(),
            branch: u32::try_from(self.branch).unwrap_or(u32::MAX),
            term: TermPlace { value: hit.value.clone(), ordinal: hit.ordinal },
        };
        Place::Lookup(std::iter::once(begun).chain(later.iter().cloned()).collect())
    }
}

impl Start {
    /// The same for a place; none for what is not begun.
    fn begun(&self) -> Option<Begun> {
        let term = self.after.clone()?;
        let branch = u32::try_from(self.branch).unwrap_or(u32::MAX);
        Some(Begun { range: self.piece.range.clone(), branch, term })
    }
}

/// The parts of a piece that are left at a place.
fn resumed(piece: &Piece, begun: &[Begun]) -> Vec<Start> {
    let mut starts = Vec::new();
    for begun in begun {
        if let Some(range) = piece.range.intersect(&begun.range) {
            let piece = Piece { range, ..piece.clone() };
            let branch = usize::try_from(begun.branch).unwrap_or(usize::MAX);
            starts.push(Start { piece, branch, after: Some(begun.term.clone()) });
        }
    }
    let Some(last) = begun.last() else { return starts };
    let rest = EpkRange { min: last.range.max.clone(), max: piece.range.max.clone() };
    if let Some(range) = piece.range.intersect(&rest) {
        let piece = Piece { range, ..piece.clone() };
        starts.push(Start { piece, branch: 0, after: None });
    }
    starts
}

/// Asks the test once for each value; a value that fails is passed over with all its items.
fn tested(branch: &Branch, walk: &mut TermWalk, hits: Vec<TermHit>) -> Vec<TermHit> {
    if branch.walked.test.is_none() {
        return hits;
    }
    let mut kept = Vec::with_capacity(hits.len());
    for run in hits.chunk_by(|left, right| left.value == right.value) {
        let Some(first) = run.first() else { continue };
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
