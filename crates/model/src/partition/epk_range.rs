//! Half-open intervals of effective partition keys.
//!
//! Owns their algebra: containing, overlapping, splitting, merging, cutting evenly. Does not own who stores which.

use std::fmt;

use super::{EffectivePartitionKey, PartitionKeyDefinition, coordinate};

/// The epks from `min`, included, to `max`, excluded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EpkRange {
    /// The lowest epk inside.
    pub min: EffectivePartitionKey,
    /// The lowest epk above.
    pub max: EffectivePartitionKey,
}

impl EpkRange {
    /// The epks from `min`, included, to `max`, excluded.
    #[must_use]
    pub fn new(min: EffectivePartitionKey, max: EffectivePartitionKey) -> Self {
        Self { min, max }
    }

    /// Every epk.
    #[must_use]
    pub fn full() -> Self {
        Self { min: EffectivePartitionKey::MIN, max: EffectivePartitionKey::MAX }
    }

    /// The whole space in equal parts, in order; at least one.
    #[must_use]
    pub fn equal_parts(parts: usize, definition: &PartitionKeyDefinition) -> Vec<Self> {
        let parts = parts.max(1);
        let bound = |part: usize| match part {
            0 => EffectivePartitionKey::MIN,
            part if part == parts => EffectivePartitionKey::MAX,
            part => coordinate::cut(part, parts, definition),
        };
        (0..parts).map(|part| Self { min: bound(part), max: bound(part + 1) }).collect()
    }

    /// Whether no epk is inside.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min >= self.max
    }

    /// Whether an epk is inside.
    #[must_use]
    pub fn contains(&self, epk: &EffectivePartitionKey) -> bool {
        self.min <= *epk && *epk < self.max
    }

    /// Whether some epk is inside both.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        (&self.min).max(&other.min) < (&self.max).min(&other.max)
    }

    /// The epks inside both; none when there are none.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Option<Self> {
        let min = (&self.min).max(&other.min);
        let max = (&self.max).min(&other.max);
        (min < max).then(|| Self { min: min.clone(), max: max.clone() })
    }

    /// The part below an epk and the part from it on; none when one of them would be empty.
    #[must_use]
    pub fn split_at(&self, epk: &EffectivePartitionKey) -> Option<(Self, Self)> {
        (self.min < *epk && *epk < self.max).then(|| {
            let below = Self { min: self.min.clone(), max: epk.clone() };
            let from = Self { min: epk.clone(), max: self.max.clone() };
            (below, from)
        })
    }

    /// Both as one; none unless one begins where the other ends.
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

    /// The middle by the definition's hash, to split at; the minimum when nothing lies between the bounds.
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
