//! Half-open intervals of effective partition keys.
//!
//! Owns their algebra: contain, overlap, intersect, split, merge and divide evenly. Does not own which partition has
//! which range.

use std::fmt;

use super::{EffectivePartitionKey, PartitionKeyDefinition, coordinate};

/// The epks from `min` (inclusive) to `max` (exclusive).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EpkRange {
    /// Inclusive lower bound.
    pub min: EffectivePartitionKey,
    /// Exclusive upper bound.
    pub max: EffectivePartitionKey,
}

impl EpkRange {
    /// The epks from `min` (inclusive) to `max` (exclusive).
    #[must_use]
    pub fn new(min: EffectivePartitionKey, max: EffectivePartitionKey) -> Self {
        Self { min, max }
    }

    /// Every epk.
    #[must_use]
    pub fn full() -> Self {
        Self { min: EffectivePartitionKey::MIN, max: EffectivePartitionKey::MAX }
    }

    /// Divides the whole space into equal parts, in order; at least one.
    #[must_use]
    pub fn equal_parts(parts: usize, definition: &PartitionKeyDefinition) -> Vec<Self> {
        let parts = parts.max(1);
        // The first and the last bound are those of the whole space, so that the parts cover it without a gap.
        let bound = |part: usize| match part {
            0 => EffectivePartitionKey::MIN,
            part if part == parts => EffectivePartitionKey::MAX,
            part => coordinate::part_bound(part, parts, definition),
        };
        (0..parts).map(|part| Self { min: bound(part), max: bound(part + 1) }).collect()
    }

    /// Divides adjacent ranges further until there are `parts` of them: the parts of each range, in order. Bounds stay
    /// where they are. New ones are those of [`Self::equal_parts`] if all present ones are among them; otherwise the
    /// widest range is halved again and again. Fewer parts than wanted are returned only where no epk is left to cut
    /// at.
    #[must_use]
    pub fn divide(
        ranges: &[Self],
        parts: usize,
        definition: &PartitionKeyDefinition,
    ) -> Vec<Vec<Self>> {
        let number = |bound: &EffectivePartitionKey| coordinate::bound_number(bound, definition);
        let cuts: Vec<EffectivePartitionKey> =
            Self::equal_parts(parts, definition).into_iter().skip(1).map(|part| part.min).collect();
        // A bound of another number of parts is rounded differently, by less than their count.
        let is_near = |left: u128, right: u128| left.abs_diff(right) <= parts as u128;
        let is_cut = |bound: &EffectivePartitionKey| {
            cuts.iter().any(|cut| is_near(number(cut), number(bound)))
        };
        let mut divided: Vec<Vec<Self>> = ranges.iter().map(|range| vec![range.clone()]).collect();
        if ranges.iter().skip(1).all(|range| is_cut(&range.min)) {
            for (range, parts) in ranges.iter().zip(&mut divided) {
                let is_bound = |cut: &EffectivePartitionKey| {
                    [&range.min, &range.max].iter().any(|bound| is_near(number(cut), number(bound)))
                };
                for cut in cuts.iter().filter(|cut| !is_bound(cut)) {
                    split_last(parts, cut);
                }
            }
            return divided;
        }
        let width = |range: &Self| number(&range.max) - number(&range.min).min(number(&range.max));
        for _ in ranges.len()..parts {
            // The first of the widest, so that the result does not depend on how the iterator breaks ties.
            let widest = divided.iter().enumerate().flat_map(|(owner, parts)| {
                parts.iter().enumerate().map(move |(place, part)| (owner, place, part))
            });
            let widest = widest.min_by_key(|(_, _, part)| std::cmp::Reverse(width(part)));
            let Some((owner, place, part)) = widest else { break };
            let Some((below, from)) = part.split_at(&part.midpoint(definition)) else { break };
            if let Some(parts) = divided.get_mut(owner) {
                parts.splice(place..=place, [below, from]);
            }
        }
        divided
    }

    /// Whether the range contains no epk.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min >= self.max
    }

    /// Whether the range contains an epk.
    #[must_use]
    pub fn contains(&self, epk: &EffectivePartitionKey) -> bool {
        self.min <= *epk && *epk < self.max
    }

    /// Whether both ranges have an epk in common.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        // By the intersection: it is also correct if one of the ranges is empty.
        (&self.min).max(&other.min) < (&self.max).min(&other.max)
    }

    /// The intersection; `None` when it is empty.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Option<Self> {
        let min = (&self.min).max(&other.min);
        let max = (&self.max).min(&other.max);
        (min < max).then(|| Self { min: min.clone(), max: max.clone() })
    }

    /// Splits the range at an epk, which becomes the lower bound of the second part; `None` when one part would be
    /// empty.
    #[must_use]
    pub fn split_at(&self, epk: &EffectivePartitionKey) -> Option<(Self, Self)> {
        (self.min < *epk && *epk < self.max).then(|| {
            let below = Self { min: self.min.clone(), max: epk.clone() };
            let from = Self { min: epk.clone(), max: self.max.clone() };
            (below, from)
        })
    }

    /// The union of two adjacent ranges; `None` unless one starts where the other ends.
    #[must_use]
    pub fn merge(&self, other: &Self) -> Option<Self> {
        if self.max == other.min {
            return Some(Self { min: self.min.clone(), max: other.max.clone() });
        }
        if other.max == self.min {
            return Some(Self { min: other.min.clone(), max: self.max.clone() });
        }
        None
    }

    /// The midpoint of the range in the hash space of the definition; the minimum when no epk is between the bounds.
    #[must_use]
    pub fn midpoint(&self, definition: &PartitionKeyDefinition) -> EffectivePartitionKey {
        coordinate::midpoint(self, definition)
    }
}

/// Cuts the last of several adjacent ranges, if it contains the cut.
fn split_last(parts: &mut Vec<EpkRange>, cut: &EffectivePartitionKey) {
    let cut = parts.last().and_then(|last| last.split_at(cut));
    if let Some((below, from)) = cut {
        parts.pop();
        parts.extend([below, from]);
    }
}

impl fmt::Display for EpkRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "[{}, {})", self.min, self.max)
    }
}
