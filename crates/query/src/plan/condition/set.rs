//! Sets of values, as sorted ranges.
//!
//! Owns the algebra for combining conditions on one path: union, intersection, complement. Undefined has no position in
//! the order of an index and is a separate flag.

use std::cmp::Ordering;
use std::collections::VecDeque;

use model::Json;

use super::cut::{Cut, ValueKind};

/// The values that a condition allows at a path.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueSet {
    /// Whether undefined is allowed.
    pub undefined: bool,
    /// The ranges allowed: sorted, neither overlapping nor touching, none empty. So equal sets have equal ranges.
    ranges: Vec<ValueRange>,
}

/// The values between two cuts.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueRange {
    /// Where it begins.
    pub low: Cut,
    /// Where it ends.
    pub high: Cut,
}

impl ValueRange {
    /// The only value of the range, if there is exactly one.
    #[must_use]
    pub fn as_point(&self) -> Option<&Json> {
        if let Cut::Before(value) = &self.low
            && Cut::after(value) == self.high
        {
            return Some(value);
        }
        match &self.high {
            Cut::After(value) if Cut::before(value) == self.low => Some(value),
            _ => None,
        }
    }

    /// Whether the range contains a value.
    #[must_use]
    pub fn contains(&self, value: &Json) -> bool {
        self.high.is_after(value) && !self.low.is_after(value)
    }
}

impl ValueSet {
    /// The empty set.
    #[must_use]
    pub fn none() -> Self {
        Self { undefined: false, ranges: Vec::new() }
    }

    /// Every value, and undefined.
    #[must_use]
    pub fn all() -> Self {
        Self { undefined: true, ..Self::defined() }
    }

    /// Every value.
    #[must_use]
    pub fn defined() -> Self {
        Self::between(Cut::start(), Cut::End)
    }

    /// Only undefined.
    #[must_use]
    pub fn absent() -> Self {
        Self { undefined: true, ranges: Vec::new() }
    }

    /// One value.
    #[must_use]
    pub fn point(value: &Json) -> Self {
        Self::between(Cut::before(value), Cut::after(value))
    }

    /// These values.
    #[must_use]
    pub fn points<'value>(values: impl IntoIterator<Item = &'value Json>) -> Self {
        let ranges = values.into_iter().flat_map(|value| Self::point(value).ranges).collect();
        Self::from_ranges(false, ranges)
    }

    /// The values of a kind.
    #[must_use]
    pub fn kind(kind: ValueKind) -> Self {
        Self::between(kind.start(), kind.end())
    }

    /// The values of several kinds.
    #[must_use]
    pub fn kinds(kinds: &[ValueKind]) -> Self {
        Self::union(kinds.iter().map(|kind| Self::kind(*kind)))
    }

    /// The strings with a prefix.
    #[must_use]
    pub fn prefix(prefix: &str) -> Self {
        Self::between(Cut::before(&Json::from(prefix)), Cut::after_prefix(prefix))
    }

    /// The values between two cuts.
    #[must_use]
    pub fn between(low: Cut, high: Cut) -> Self {
        Self::from_ranges(false, vec![ValueRange { low, high }])
    }

    /// The ranges allowed, in order.
    #[must_use]
    pub fn ranges(&self) -> &[ValueRange] {
        &self.ranges
    }

    /// Whether nothing is allowed.
    #[must_use]
    pub fn is_none(&self) -> bool {
        !self.undefined && self.ranges.is_empty()
    }

    /// Whether everything is allowed.
    #[must_use]
    pub fn is_all(&self) -> bool {
        let is_every_value =
            |range: &ValueRange| range.high == Cut::End && range.low == Cut::start();
        self.undefined && matches!(self.ranges.as_slice(), [only] if is_every_value(only))
    }

    /// Whether a value is allowed; `None` is undefined.
    #[must_use]
    pub fn contains(&self, value: Option<&Json>) -> bool {
        match value {
            None => self.undefined,
            Some(value) => self.ranges.iter().any(|range| range.contains(value)),
        }
    }

    /// All values of the set; `None` if they cannot be enumerated, or if undefined is allowed.
    #[must_use]
    pub fn as_points(&self) -> Option<Vec<Json>> {
        if self.undefined {
            return None;
        }
        let lists: Option<Vec<Vec<Json>>> = self.ranges.iter().map(enumerate_values).collect();
        lists.map(|lists| lists.into_iter().flatten().collect())
    }

    /// The only value of the set, if there is exactly one.
    #[must_use]
    pub fn as_point(&self) -> Option<&Json> {
        match self.ranges.as_slice() {
            [range] if !self.undefined => range.as_point(),
            _ => None,
        }
    }

    /// Whether only null, Booleans, numbers and strings are allowed.
    #[must_use]
    pub fn is_scalar(&self) -> bool {
        let arrays = ValueKind::Array.start();
        !self.undefined
            && self.ranges.iter().all(|range| range.high.compare(&arrays) != Ordering::Greater)
    }

    /// The union of sets.
    #[must_use]
    pub fn union(sets: impl IntoIterator<Item = Self>) -> Self {
        let mut undefined = false;
        let mut ranges = Vec::new();
        for set in sets {
            undefined |= set.undefined;
            ranges.extend(set.ranges);
        }
        Self::from_ranges(undefined, ranges)
    }

    /// The intersection of sets. Always of the two that were made first, so that no range is read more often than the
    /// logarithm of their number: thousands of `!=` would otherwise read a growing list for each of them.
    #[must_use]
    pub fn intersection(sets: impl IntoIterator<Item = Self>) -> Self {
        let mut sets: VecDeque<Self> = sets.into_iter().collect();
        while let Some(first) = sets.pop_front() {
            let Some(second) = sets.pop_front() else { return first };
            sets.push_back(first.intersect(&second));
        }
        // The intersection of no sets is everything.
        Self::all()
    }

    /// The intersection with another set. Both lists are sorted and without overlaps, so one merge suffices and its
    /// result has the same properties.
    pub(super) fn intersect(&self, other: &Self) -> Self {
        let (mut left, mut right) = (self.ranges.iter().peekable(), other.ranges.iter().peekable());
        let mut ranges = Vec::new();
        while let (Some(one), Some(two)) = (left.peek(), right.peek()) {
            let low = if one.low.compare(&two.low).is_lt() { &two.low } else { &one.low };
            let ends_first = one.high.compare(&two.high).is_lt();
            let high = if ends_first { &one.high } else { &two.high };
            if low.compare(high).is_lt() {
                ranges.push(ValueRange { low: low.clone(), high: high.clone() });
            }
            // The range that ends first cannot meet anything further.
            if ends_first {
                left.next();
            } else {
                right.next();
            }
        }
        Self { undefined: self.undefined && other.undefined, ranges }
    }

    /// The complement, undefined included.
    #[must_use]
    pub fn complement(&self) -> Self {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut low = Cut::start();
        for range in &self.ranges {
            ranges.push(ValueRange { low, high: range.low.clone() });
            low = range.high.clone();
        }
        ranges.push(ValueRange { low, high: Cut::End });
        Self::from_ranges(!self.undefined, ranges)
    }

    /// The complement without undefined.
    #[must_use]
    pub fn other_values(&self) -> Self {
        Self { undefined: false, ..self.complement() }
    }

    fn from_ranges(undefined: bool, mut ranges: Vec<ValueRange>) -> Self {
        ranges.retain(|range| range.low.compare(&range.high) == Ordering::Less);
        if ranges.len() < 2 {
            return Self { undefined, ranges };
        }
        ranges.sort_by(|left, right| left.low.compare(&right.low));
        let mut joined: Vec<ValueRange> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.low.compare(&last.high) == Ordering::Less => {
                    if range.high.compare(&last.high) == Ordering::Greater {
                        last.high = range.high;
                    }
                }
                // Touching ranges become one, so that equal sets have equal representations.
                Some(last) if range.low == last.high => last.high = range.high,
                _ => joined.push(range),
            }
        }
        Self { undefined, ranges: joined }
    }
}

/// All values of a range of null and Booleans, or of a single value.
fn enumerate_values(range: &ValueRange) -> Option<Vec<Json>> {
    if let Some(point) = range.as_point() {
        return Some(vec![point.clone()]);
    }
    if range.high.compare(&ValueKind::Number.start()) == Ordering::Greater {
        return None;
    }
    let few = [Json::Null, Json::Bool(false), Json::Bool(true)];
    Some(few.into_iter().filter(|value| range.contains(value)).collect())
}
