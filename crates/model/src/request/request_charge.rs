//! Request charges: the request units that an operation consumes.
//!
//! Owns exact arithmetic in fractions of a request unit and the printed form. Does not compute the charge of any
//! operation: see `charge`.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// The charges of point operations are multiples of 1/21 request unit.
const UNITS_PER_REQUEST_UNIT: u64 = 21;
/// The constants of queries have four decimals. Counting in 1/210000 request unit represents both exactly, so that sums
/// stay exact.
const PARTS_PER_UNIT: u64 = 10_000;
const PARTS_PER_REQUEST_UNIT: u64 = UNITS_PER_REQUEST_UNIT * PARTS_PER_UNIT;

/// The charge of an operation, as a whole number of parts (1/210000 request unit).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestCharge {
    parts: u64,
}

impl RequestCharge {
    /// No charge.
    pub const ZERO: Self = Self { parts: 0 };

    /// Parts of one request unit, as [`RequestCharge::parts`] counts them.
    pub const PARTS_PER_REQUEST_UNIT: u64 = PARTS_PER_REQUEST_UNIT;

    /// A charge in 1/21 request units.
    #[must_use]
    pub const fn from_units(units: u64) -> Self {
        // Saturates instead of wrapping: a charge that is too high refuses requests, one that wrapped would give them
        // away.
        Self { parts: units.saturating_mul(PARTS_PER_UNIT) }
    }

    /// A charge in whole request units.
    #[must_use]
    pub const fn from_request_units(request_units: u64) -> Self {
        Self { parts: request_units.saturating_mul(PARTS_PER_REQUEST_UNIT) }
    }

    /// A charge in 1/210000 request units.
    #[must_use]
    pub const fn from_parts(parts: u64) -> Self {
        Self { parts }
    }

    /// The charge nearest to a number of request units; zero for NaN and negative numbers.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "the grid is exact in a double, and a cast from outside the range stops at its ends"
    )]
    pub fn nearest(request_units: f64) -> Self {
        Self { parts: (request_units * PARTS_PER_REQUEST_UNIT as f64).round() as u64 }
    }

    /// The charge in 1/21 request units, rounded; exact for point operations.
    #[must_use]
    pub const fn units(self) -> u64 {
        self.parts.saturating_add(PARTS_PER_UNIT / 2) / PARTS_PER_UNIT
    }

    /// The charge in 1/210000 request units, always exact.
    #[must_use]
    pub const fn parts(self) -> u64 {
        self.parts
    }

    /// The charge multiplied by a factor.
    #[must_use]
    pub const fn times(self, factor: u64) -> Self {
        Self { parts: self.parts.saturating_mul(factor) }
    }

    /// The charge minus another; zero when the other is greater.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self { parts: self.parts.saturating_sub(other.parts) }
    }

    /// Whole request units and hundredths, rounded.
    #[must_use]
    pub const fn rounded(self) -> (u64, u64) {
        let grid = PARTS_PER_REQUEST_UNIT;
        let (whole, rest) = (self.parts / grid, self.parts % grid);
        let hundredths = (rest * 100 + grid / 2) / grid;
        // A remainder of 99.5 hundredths or more rounds up to a whole request unit: carry it.
        (whole + hundredths / 100, hundredths % 100)
    }

    /// The charge in request units, not rounded.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "no operation is charged 2^53 parts")]
    pub fn as_f64(self) -> f64 {
        self.parts as f64 / PARTS_PER_REQUEST_UNIT as f64
    }
}

impl Add for RequestCharge {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { parts: self.parts.saturating_add(other.parts) }
    }
}

impl AddAssign for RequestCharge {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for RequestCharge {
    fn sum<I: Iterator<Item = Self>>(charges: I) -> Self {
        charges.fold(Self::ZERO, Add::add)
    }
}

/// Request units with at most two decimals and no trailing zeros.
impl fmt::Display for RequestCharge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, decimals) = self.rounded();
        match (decimals / 10, decimals % 10) {
            (0, 0) => write!(formatter, "{whole}"),
            (tenth, 0) => write!(formatter, "{whole}.{tenth}"),
            (tenth, hundredth) => write!(formatter, "{whole}.{tenth}{hundredth}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_print_with_two_decimals_at_most() {
        for (units, text) in [
            (0, "0"),
            (1, "0.05"),
            (4, "0.19"),
            (21, "1"),
            (26, "1.24"),
            (104, "4.95"),
            (132, "6.29"),
            (216, "10.29"),
            (40, "1.9"),
        ] {
            let charge = RequestCharge::from_units(units);
            assert_eq!((charge.to_string().as_str(), charge.units()), (text, units));
        }
        assert_eq!(RequestCharge::from_parts(209_999).to_string(), "1");
        assert_eq!(RequestCharge::from_parts(u64::MAX).to_string(), "87841638446235.96");
    }

    #[test]
    fn sums_are_exact() {
        let term = RequestCharge::from_units(4);
        let sum: RequestCharge = std::iter::repeat_n(term, 21).sum();
        assert_eq!(sum, RequestCharge::from_request_units(4));
        assert_eq!(sum, term.times(21));
        assert!((sum.as_f64() - 4.0).abs() < f64::EPSILON);
        let mut charge = RequestCharge::ZERO;
        charge += term;
        assert_eq!(charge + term, RequestCharge::from_units(8));
        assert_eq!((charge + term).saturating_sub(term), term);
        assert_eq!(charge.saturating_sub(sum), RequestCharge::ZERO);
    }

    #[test]
    fn thousandths_of_queries_and_units_of_writes_add_up_exactly() {
        let query = RequestCharge::from_parts(2_824 * 210);
        assert_eq!(query.to_string(), "2.82");
        assert_eq!(RequestCharge::nearest(2.824), query);
        assert_eq!(RequestCharge::nearest(f64::NAN), RequestCharge::ZERO);
        assert_eq!(RequestCharge::nearest(-1.0), RequestCharge::ZERO);
        assert_eq!((query + RequestCharge::from_units(104)).to_string(), "7.78");
    }
}
