//! Request charges: what an operation uses of its throughput.
//!
//! Owns exact sums in parts of a request unit and their printed form. Does not own the charge of any operation.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Parts of one request unit: the charges of the service lie on this grid, so that sums stay exact.
const UNITS_PER_REQUEST_UNIT: u64 = 21;

/// The charge of an operation, counted in 1/21 of a request unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestCharge {
    units: u64,
}

impl RequestCharge {
    /// No charge.
    pub const ZERO: Self = Self { units: 0 };

    /// A charge of so many 1/21 request units.
    #[must_use]
    pub const fn from_units(units: u64) -> Self {
        Self { units }
    }

    /// A charge of whole request units.
    #[must_use]
    pub const fn from_request_units(request_units: u64) -> Self {
        Self { units: request_units.saturating_mul(UNITS_PER_REQUEST_UNIT) }
    }

    /// The charge in 1/21 request units.
    #[must_use]
    pub const fn units(self) -> u64 {
        self.units
    }

    /// The charge in request units, not rounded.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "no operation is charged 2^53 units")]
    pub fn as_f64(self) -> f64 {
        self.units as f64 / UNITS_PER_REQUEST_UNIT as f64
    }
}

impl Add for RequestCharge {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { units: self.units.saturating_add(other.units) }
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
        // 21 is odd, so no charge lies half-way between two hundredths.
        let grid = u128::from(UNITS_PER_REQUEST_UNIT);
        let hundredths = (u128::from(self.units) * 100 + grid / 2) / grid;
        let (whole, decimals) = (hundredths / 100, hundredths % 100);
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
            (u64::MAX, "878416384462359600.71"),
        ] {
            assert_eq!(RequestCharge::from_units(units).to_string(), text, "{units}");
        }
    }

    #[test]
    fn sums_are_exact() {
        let term = RequestCharge::from_units(4);
        let sum: RequestCharge = std::iter::repeat_n(term, 21).sum();
        assert_eq!(sum, RequestCharge::from_request_units(4));
        assert!((sum.as_f64() - 4.0).abs() < f64::EPSILON);
        let mut charge = RequestCharge::ZERO;
        charge += term;
        assert_eq!(charge + term, RequestCharge::from_units(8));
    }
}
