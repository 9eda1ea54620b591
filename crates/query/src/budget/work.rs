//! Counting work.
//!
//! Owns the unit of work and the counter that loops spend from. One unit is about 100 ns in a release build: one tuple
//! of a join, one call of a function, or 64 bytes that are parsed, read or built. Does not read a clock: the governor
//! does, once per slice.

use std::cell::Cell;
use std::sync::Arc;

use super::{BudgetError, WorkGovernor, value_bytes};
use crate::value::Value;

/// Units between two calls of the governor, about 2 ms.
pub const SLICE_UNITS: u64 = 20_000;

/// Bytes that count as one unit.
const UNIT_BYTES: usize = 64;

/// The work of one evaluation. A query runs on one thread at a time, so plain cells suffice: ordinary work costs a
/// subtraction and a comparison.
#[derive(Debug)]
pub(crate) struct WorkBudget {
    units_left: Cell<u64>,
    /// Whether the units that are left are those of a slice. Before the first unit is spent there is none.
    has_slice: Cell<bool>,
    granted: Cell<u64>,
    tuples: Cell<u64>,
    governor: Arc<dyn WorkGovernor>,
}

impl WorkBudget {
    pub(crate) fn new(governor: Arc<dyn WorkGovernor>) -> Self {
        let (units_left, granted, tuples) = (Cell::new(0), Cell::new(0), Cell::new(0));
        Self { units_left, has_slice: Cell::new(false), granted, tuples, governor }
    }

    /// Spends units, before the work is done.
    #[inline]
    pub(crate) fn spend(&self, units: u64) -> Result<(), BudgetError> {
        let left = self.units_left.get();
        if units <= left {
            self.units_left.set(left - units);
            return Ok(());
        }
        self.spend_slices(units - left)
    }

    /// Spends an iterated array element: alone, or as part of a joined row.
    #[inline]
    pub(crate) fn spend_tuple(&self) -> Result<(), BudgetError> {
        self.tuples.set(self.tuples.get().saturating_add(1));
        self.spend(1)
    }

    #[cold]
    fn spend_slices(&self, units: u64) -> Result<(), BudgetError> {
        self.units_left.set(0);
        let mut debt = units;
        loop {
            let granted = self.granted.get();
            let slice = self.governor.next_slice(granted).map_err(BudgetError::Interrupted)?;
            self.granted.set(granted.saturating_add(slice));
            self.has_slice.set(true);
            if debt <= slice {
                self.units_left.set(slice - debt);
                return Ok(());
            }
            debt -= slice;
        }
    }

    /// Whether little of the slice is left, so that the next item might not fit.
    pub(crate) fn is_low(&self) -> bool {
        // Items that cost nothing, such as those of `SELECT *`, never begin a slice. Without this check they would look
        // like the end of one, and the query would yield after each of them.
        self.has_slice.get() && self.units_left.get() < SLICE_UNITS / 2
    }

    /// Gives up the rest of the slice: the next unit asks the governor.
    pub(crate) fn end_slice(&self) {
        self.units_left.set(0);
        self.has_slice.set(false);
    }

    /// The number of iterated array elements.
    pub(crate) fn tuples(&self) -> u64 {
        self.tuples.get()
    }

    /// Resets the number of iterated elements, because they will be iterated again.
    pub(crate) fn reset_tuples(&self, tuples: u64) {
        self.tuples.set(tuples);
    }
}

/// The units of reading or building bytes.
#[inline]
pub(crate) fn byte_units(bytes: usize) -> u64 {
    (bytes / UNIT_BYTES) as u64
}

/// The units of reading a value itself: nothing below it counts.
#[inline]
pub(crate) fn text_units(value: &Value) -> u64 {
    value.as_str().map_or(0, |text| byte_units(text.len()))
}

/// The units of reading a value with everything below it.
#[inline]
pub(crate) fn value_units(value: &Value) -> u64 {
    match value {
        Value::String(text) => byte_units(text.len()),
        Value::Array(_) | Value::Object(_) => byte_units(value_bytes(value)),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Interruption, WorkLimit};
    use super::*;

    #[test]
    fn a_debt_of_several_slices_is_taken_from_the_governor() {
        let work = WorkBudget::new(Arc::new(WorkLimit::new(3 * SLICE_UNITS)));
        assert_eq!(work.spend(2 * SLICE_UNITS + 1), Ok(()));
        assert_eq!(work.spend(SLICE_UNITS - 1), Ok(()));
        assert_eq!(work.spend(1), Err(BudgetError::Interrupted(Interruption::OutOfWork)));
    }

    #[test]
    fn only_a_slice_that_was_begun_is_low() {
        let work = WorkBudget::new(Arc::new(WorkLimit::new(3 * SLICE_UNITS)));
        assert!(!work.is_low());
        assert_eq!(work.spend(1), Ok(()));
        assert!(!work.is_low());
        assert_eq!(work.spend(SLICE_UNITS / 2), Ok(()));
        assert!(work.is_low());
        work.end_slice();
        assert!(!work.is_low());
    }
}
