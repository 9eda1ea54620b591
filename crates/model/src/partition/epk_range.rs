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

impl fmt::Display for EpkRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "[{}, {})", self.min, self.max)
    }
}
