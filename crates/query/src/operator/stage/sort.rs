//! Sorting within the budget of a request.
//!
//! Owns a merge sort that asks for work before each part of it, so that a sort of millions of rows can be cancelled and
//! leaves turns to others. Does not own what is compared.

use std::cmp::Ordering;
use std::collections::VecDeque;

use crate::budget::{BudgetError, WorkBudget};

/// Elements of one part, if their keys are short: sorting them takes about a quarter of a millisecond.
const PART_ELEMENTS_MAX: u64 = 1024;
/// Comparisons of short keys in one unit of work.
const UNIT_COMPARISONS: u64 = 4;
/// Bytes of a key that take as long to compare as a short key.
const KEY_BYTES: usize = 16;

/// How much the comparisons of one sort cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct SortCost {
    /// Elements that are sorted or merged between two calls of the budget.
    part: u64,
    /// Short comparisons that one comparison is worth.
    weight: u64,
}

impl SortCost {
    /// For elements with keys of this size on average.
    pub(super) fn of(key_bytes: usize) -> Self {
        let weight = 1 + (key_bytes / KEY_BYTES) as u64;
        Self { part: (PART_ELEMENTS_MAX / weight).max(8), weight }
    }

    /// The units of sorting so many elements.
    pub(super) fn units(self, elements: u64) -> u64 {
        let comparisons = elements.saturating_mul(u64::from(elements.max(1).ilog2()) + 1);
        self.comparisons(comparisons)
    }

    fn comparisons(self, count: u64) -> u64 {
        count.saturating_mul(self.weight) / UNIT_COMPARISONS
    }
}

/// Sorts elements that are never equal, or whose order does not matter then.
pub(super) fn sort_within<T>(
    elements: Vec<T>,
    cost: SortCost,
    work: &WorkBudget,
    compare: impl Fn(&T, &T) -> Ordering,
) -> Result<Vec<T>, BudgetError> {
    let part = usize::try_from(cost.part).unwrap_or(usize::MAX);
    let mut parts = VecDeque::new();
    let mut rest = elements;
    while !rest.is_empty() {
        // From the end, which moves nothing that stays.
        let mut next = rest.split_off(rest.len().saturating_sub(part));
        work.spend(cost.units(next.len() as u64))?;
        next.sort_unstable_by(&compare);
        parts.push_back(next);
    }
    // Always the two that were made first: no part is merged more often than the logarithm of their number.
    while let Some(left) = parts.pop_front() {
        let Some(right) = parts.pop_front() else { return Ok(left) };
        parts.push_back(merge(left, right, cost, work, &compare)?);
    }
    Ok(Vec::new())
}

fn merge<T>(
    left: Vec<T>,
    right: Vec<T>,
    cost: SortCost,
    work: &WorkBudget,
    compare: &impl Fn(&T, &T) -> Ordering,
) -> Result<Vec<T>, BudgetError> {
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    let mut until_asked = 0;
    loop {
        if until_asked == 0 {
            work.spend(cost.comparisons(cost.part))?;
            until_asked = cost.part;
        }
        until_asked -= 1;
        let next = match (left.peek(), right.peek()) {
            (Some(first), Some(second)) if compare(first, second).is_gt() => right.next(),
            (Some(_), _) => left.next(),
            (None, _) => right.next(),
        };
        match next {
            Some(next) => merged.push(next),
            None => return Ok(merged),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering as Memory};

    use super::*;
    use crate::budget::{Interruption, SLICE_UNITS, WorkGovernor};

    /// Grants slices and counts them, up to a number.
    #[derive(Debug)]
    struct Slices {
        granted: AtomicU64,
        slices_max: u64,
    }

    impl WorkGovernor for Slices {
        fn next_slice(&self, _granted: u64) -> Result<u64, Interruption> {
            let before = self.granted.fetch_add(1, Memory::Relaxed);
            if before < self.slices_max { Ok(SLICE_UNITS) } else { Err(Interruption::Cancelled) }
        }

        fn allow_bytes(&self, _bytes: usize) -> Result<(), Interruption> {
            Ok(())
        }

        fn return_bytes(&self, _bytes: usize) {}
    }

    fn numbers(count: usize) -> Vec<u64> {
        let mixed = |number: u64| number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        (0..count as u64).map(mixed).collect()
    }

    fn sort(numbers: Vec<u64>, slices_max: u64) -> (Result<Vec<u64>, BudgetError>, u64) {
        let governor = Arc::new(Slices { granted: AtomicU64::new(0), slices_max });
        let work = WorkBudget::new(Arc::clone(&governor) as _);
        let sorted = sort_within(numbers, SortCost::of(8), &work, Ord::cmp);
        (sorted, governor.granted.load(Memory::Relaxed))
    }

    #[test]
    fn any_number_of_elements_is_sorted() {
        for count in [0, 1, 2, 1023, 1024, 1025, 5000, 100_000] {
            let mut expected = numbers(count);
            expected.sort_unstable();
            assert_eq!(sort(numbers(count), u64::MAX).0, Ok(expected), "{count}");
        }
    }

    #[test]
    fn a_long_sort_asks_for_every_slice_and_ends_when_it_is_refused() {
        let (sorted, slices) = sort(numbers(100_000), u64::MAX);
        assert!(sorted.is_ok() && slices > 10, "{slices}");
        let (refused, asked) = sort(numbers(100_000), 3);
        assert_eq!(refused, Err(BudgetError::Interrupted(Interruption::Cancelled)));
        assert_eq!(asked, 4, "nothing was done after the refusal");
    }

    #[test]
    fn long_keys_make_parts_smaller() {
        assert!(SortCost::of(100_000).part < SortCost::of(8).part);
        assert!(SortCost::of(100_000).units(100) > SortCost::of(8).units(100));
    }
}
