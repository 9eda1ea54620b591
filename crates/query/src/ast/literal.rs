//! Constants written in the text.
//!
//! Owns the canonical form of numbers: a whole number below 1e17 is an integer however it was written (`1.0`, `1e2`),
//! because it is printed with digits only and must parse back to itself.

/// A constant.
#[derive(Clone, Debug)]
pub enum Literal {
    /// `undefined`.
    Undefined,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An exact integer.
    Integer(i64),
    /// Any other number, `NaN` and `Infinity` included.
    Double(f64),
    /// Text.
    String(String),
}

/// From here on, a whole number is printed with an exponent.
const DIGITS_ONLY_LIMIT: f64 = 1e17;

impl Literal {
    /// A number in canonical form.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "whole and below the limit: exact")]
    pub fn double(value: f64) -> Self {
        if value.fract() == 0.0 && value.abs() < DIGITS_ONLY_LIMIT {
            Self::Integer(value as i64)
        } else {
            Self::Double(value)
        }
    }

    /// The same number with the opposite sign; `None` if it is not a number.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "only the least integer has no opposite")]
    pub fn negated(&self) -> Option<Self> {
        match self {
            Self::Integer(value) => Some(match value.checked_neg() {
                Some(opposite) => Self::Integer(opposite),
                None => Self::Double(-(*value as f64)),
            }),
            // `i64::MIN` is written as a minus before 9223372036854775808, which is too large for an i64 and was
            // therefore read as a double.
            Self::Double(value) if *value == 9_223_372_036_854_775_808.0 => {
                Some(Self::Integer(i64::MIN))
            }
            Self::Double(value) => Some(Self::double(-value)),
            Self::Undefined | Self::Null | Self::Bool(_) | Self::String(_) => None,
        }
    }
}

impl PartialEq for Literal {
    /// Equality of the written constant, not of values: `NaN` equals `NaN`, and `0.0` differs from `-0.0`.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Undefined, Self::Undefined) | (Self::Null, Self::Null) => true,
            (Self::Bool(left), Self::Bool(right)) => left == right,
            (Self::Integer(left), Self::Integer(right)) => left == right,
            (Self::Double(left), Self::Double(right)) => {
                left.to_bits() == right.to_bits() || (left.is_nan() && right.is_nan())
            }
            (Self::String(left), Self::String(right)) => left == right,
            _ => false,
        }
    }
}
