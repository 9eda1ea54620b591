//! Several lookups at once.
//!
//! Owns how the terms of one lookup are narrowed by the others before any item is loaded. A lookup that finds few
//! items is read whole first; a lookup of one value is asked term by term. When the walked lookup is itself of one
//! value, its items come in the order of ordinals, and a small other lookup takes over: its items are looked up in
//! the first.

use std::collections::{BTreeMap, VecDeque};

use storage::StorageKey;

use super::reading::Reading;
use super::term::{Branch, Decoded, TermIndex, TermWalk, Terms, decode, successor};
use crate::error::Result;
use crate::key_layout::{TermHit, TermPrefix};
use crate::query::part::Piece;
use crate::query::token::TermPlace;

/// Terms read of a lookup before it counts as large.
const SMALL_TERMS: usize = 512;

/// What the other lookups of a branch say.
#[derive(Default)]
pub(super) struct Narrow {
    piece: Option<Piece>,
    /// Lookups that were read whole: ordinals with their item keys.
    small: Vec<BTreeMap<u64, StorageKey>>,
    /// Lookups of one value, asked for each item.
    points: Vec<(TermPrefix, Vec<u8>)>,
    /// The items of the smallest lookup, in place of the walk.
    driving: Option<VecDeque<TermHit>>,
}

impl Narrow {
    pub(super) async fn open(
        reading: &mut Reading,
        piece: &Piece,
        branch: &Branch,
        after: Option<&TermPlace>,
    ) -> Result<Self> {
        if branch.also.is_empty() {
            return Ok(Self::default());
        }
        let mut narrow = Self { piece: Some(piece.clone()), ..Self::default() };
        for (walked, terms) in &branch.also {
            let before = reading.metrics.index_entries;
            let found = gather(reading, piece, terms, SMALL_TERMS).await?;
            if walked.test.is_some() {
                reading.bill.counters.index_entries += reading.metrics.index_entries - before;
            }
            match found {
                Some(found) => narrow.small.push(found),
                None => narrow.points.extend(point(piece, terms)),
            }
        }
        narrow.small.sort_by_key(BTreeMap::len);
        let walked = point(piece, &branch.terms).filter(|_| branch.walked.test.is_none());
        if let (Some((prefix, value)), Some(smallest)) = (walked, narrow.small.first()) {
            let from = after.map_or(0, |after| after.ordinal.saturating_add(1));
            let hits = smallest.range(from..).map(|(ordinal, key)| TermHit {
                value: value.clone().into(),
                ordinal: *ordinal,
                key: key.clone(),
            });
            narrow.driving = Some(hits.collect());
            narrow.points.push((prefix, value));
        }
        Ok(narrow)
    }

    /// The next items of the smallest lookup, when it drives.
    pub(super) fn gathered(&mut self, wanted: usize) -> Option<Vec<TermHit>> {
        let driving = self.driving.as_mut()?;
        let wanted = wanted.min(driving.len());
        Some(driving.drain(..wanted).collect())
    }

    /// Whether the smallest lookup has no more; none when it does not drive.
    pub(super) fn is_at_end(&self) -> Option<bool> {
        self.driving.as_ref().map(VecDeque::is_empty)
    }

    /// The terms whose items all lookups find, as far as that is known without the items.
    pub(super) async fn keep(
        &self,
        reading: &mut Reading,
        mut hits: Vec<TermHit>,
    ) -> Result<Vec<TermHit>> {
        for small in &self.small {
            hits.retain(|hit| small.contains_key(&hit.ordinal));
        }
        let Some(piece) = &self.piece else { return Ok(hits) };
        for (prefix, value) in &self.points {
            let keys: Vec<StorageKey> =
                hits.iter().map(|hit| prefix.key(value, Some(hit.ordinal))).collect();
            let found = reading.probe_terms(piece.shard(), &keys).await?;
            let mut found = found.into_iter();
            hits.retain(|_| found.next().unwrap_or(true));
        }
        Ok(hits)
    }
}

/// All items of a lookup that finds few; none when it finds many.
pub(super) async fn gather(
    reading: &mut Reading,
    piece: &Piece,
    terms: &Terms,
    terms_max: usize,
) -> Result<Option<BTreeMap<u64, StorageKey>>> {
    let mut walk = TermWalk::new(piece, terms, None);
    let mut found = BTreeMap::new();
    let mut read = 0;
    while !walk.is_at_end() {
        let hits = walk.next(reading, terms_max - read).await?;
        read += hits.len();
        found.extend(hits.into_iter().map(|hit| (hit.ordinal, hit.key)));
        if read >= terms_max {
            return Ok(None);
        }
    }
    Ok(Some(found))
}

/// The one value of terms that have just one.
fn point(piece: &Piece, terms: &Terms) -> Option<(TermPrefix, Vec<u8>)> {
    let [(low, high)] = terms.ranges.as_slice() else { return None };
    if terms.absent || *high != successor(low.clone()) {
        return None;
    }
    let (Decoded::Value(_), length) = decode(low)? else {
        return None;
    };
    let TermIndex::Path(path) = &terms.index else { return None };
    (length == low.len()).then(|| (TermPrefix::path(piece.logical.as_ref(), path), low.clone()))
}
