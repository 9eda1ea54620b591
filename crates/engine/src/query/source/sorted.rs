//! Few items, put in order after they are found.
//!
//! Owns the way of a query whose filter finds few items and whose order is that of another index: reading the order
//! from its index could read all of it. The items are loaded and ranked by what the terms of that index would say,
//! so a place in this order is a place in the index, and the next page may be read either way.

use std::collections::VecDeque;

use ::query::plan::condition::ItemPath;
use storage::Shard;

use super::candidate::{Batch, Candidate, Content};
use super::merged::MergedLookup;
use super::narrow::gather;
use super::reading::Reading;
use super::term::{Branch, parse_paths, uncut, values_at};
use crate::error::Result;
use crate::query::part::Piece;
use crate::query::token::{Place, TermPlace};

/// Terms that a lookup may have to count as finding few items.
const FEW_TERMS: usize = 256;

/// The items found, in order.
pub(in crate::query) struct SortedLookup {
    left: VecDeque<Candidate>,
    /// Items found on all pages.
    found: u64,
    /// Those of earlier pages.
    given: u64,
    /// The parts that were read: of which shard, and whether all of it.
    read_parts: Vec<(Shard, bool)>,
}

/// An order that an index has: its paths, which of them descend in the index, and whether it is read backwards.
pub(super) struct IndexOrder {
    pub(super) paths: Vec<(ItemPath, bool)>,
    pub(super) is_reversed: bool,
}

impl SortedLookup {
    /// None when the lookup finds too many.
    pub(super) async fn open(
        reading: &mut Reading,
        pieces: &[Piece],
        branches: Vec<Branch>,
        order: &IndexOrder,
        after: Option<&TermPlace>,
    ) -> Result<Option<Self>> {
        let mut terms = 0;
        for branch in &branches {
            for piece in pieces {
                let found = gather(reading, piece, &branch.terms, FEW_TERMS - terms).await?;
                let Some(found) = found else { return Ok(None) };
                terms += found.len();
                if terms >= FEW_TERMS {
                    return Ok(None);
                }
            }
        }
        let mut lookup = MergedLookup::new(pieces, branches, None);
        let mut found = Vec::new();
        loop {
            let batch = lookup.next(reading, FEW_TERMS).await?;
            for candidate in batch.candidates {
                if let Content::Record(record) = &candidate.content {
                    let rank = TermPlace {
                        value: order.rank(&parse_paths(record, &order.paths)?).into(),
                        ordinal: candidate.ordinal,
                    };
                    found.push((rank, candidate));
                }
            }
            if batch.is_last {
                break;
            }
        }
        let all = found.len() as u64;
        if let Some(after) = after {
            found.retain(|(rank, _)| order.compare(rank, after).is_gt());
        }
        found.sort_by(|(left, _), (right, _)| order.compare(left, right));
        let placed = found
            .into_iter()
            .map(|(rank, candidate)| Candidate { place: Place::Ordered(rank), ..candidate });
        let left: VecDeque<Candidate> = placed.collect();
        let read_parts = pieces.iter().map(|piece| (piece.shard(), piece.is_whole_partition()));
        let given = all - left.len() as u64;
        Ok(Some(Self { left, found: all, given, read_parts: read_parts.collect() }))
    }

    pub(in crate::query) fn found(&self) -> u64 {
        self.found
    }

    pub(in crate::query) fn given(&self) -> u64 {
        self.given
    }

    pub(in crate::query) fn read_parts(&self) -> &[(Shard, bool)] {
        &self.read_parts
    }

    pub(in crate::query) fn next(&mut self, wanted: usize) -> Batch {
        let wanted = wanted.clamp(1, self.left.len().max(1)).min(self.left.len());
        let candidates: Vec<Candidate> = self.left.drain(..wanted).collect();
        let reached = candidates.last().map(|last| last.place.clone());
        Batch { candidates, reached, is_last: self.left.is_empty() }
    }
}

impl IndexOrder {
    /// What a term of the index would say, with long strings whole.
    fn rank(&self, item: &model::Json) -> Vec<u8> {
        let values = self.paths.iter().map(|(path, is_descending)| {
            (values_at(item, path).into_iter().next(), *is_descending)
        });
        uncut(&values.collect::<Vec<_>>())
    }

    fn compare(&self, left: &TermPlace, right: &TermPlace) -> std::cmp::Ordering {
        let order = left.value.cmp(&right.value);
        let order = if self.is_reversed { order.reverse() } else { order };
        order.then(left.ordinal.cmp(&right.ordinal))
    }
}
