//! Bitwise operators.
//!
//! Owns `& | ^ ~ << >> >>>` on 32-bit integers, with the conversions of JavaScript. Does not own the INTBIT functions,
//! which work on 64 bits.

use super::Value;

/// `left & right`.
#[must_use]
pub fn bit_and(left: &Value, right: &Value) -> Value {
    combine(left, right, |left, right| i64::from(left & right))
}

/// `left | right`.
#[must_use]
pub fn bit_or(left: &Value, right: &Value) -> Value {
    combine(left, right, |left, right| i64::from(left | right))
}

/// `left ^ right`.
#[must_use]
pub fn bit_xor(left: &Value, right: &Value) -> Value {
    combine(left, right, |left, right| i64::from(left ^ right))
}

/// `~operand`.
#[must_use]
pub fn bit_not(operand: &Value) -> Value {
    to_int32(operand).map(|bits| i64::from(!bits)).into()
}

/// `left << right`; only the lower five bits of the distance count.
#[must_use]
pub fn shift_left(left: &Value, right: &Value) -> Value {
    // `wrapping_shl` masks the distance to five bits, as JavaScript does; the cast keeps these bits of a negative
    // distance.
    combine(left, right, |left, right| i64::from(left.wrapping_shl(right as u32)))
}

/// `left >> right`, keeping the sign; only the lower five bits of the distance count.
#[must_use]
pub fn shift_right(left: &Value, right: &Value) -> Value {
    combine(left, right, |left, right| i64::from(left.wrapping_shr(right as u32)))
}

/// `left >>> right`, filling with zeros, so the result is never negative; only the lower five bits of the distance
/// count.
#[must_use]
pub fn shift_right_unsigned(left: &Value, right: &Value) -> Value {
    combine(left, right, |left, right| i64::from((left as u32).wrapping_shr(right as u32)))
}

fn combine(left: &Value, right: &Value, operate: impl Fn(i32, i32) -> i64) -> Value {
    match (to_int32(left), to_int32(right)) {
        (Some(left), Some(right)) => Value::Integer(operate(left, right)),
        _ => Value::Undefined,
    }
}

/// Truncates a number to an integer and wraps it to 32 bits; NaN and the infinities become 0.
fn to_int32(value: &Value) -> Option<i32> {
    match value {
        // Keeps the lower 32 bits, which is the same as modulo 2^32.
        Value::Integer(integer) => Some(*integer as i32),
        Value::Double(double) if !double.is_finite() => Some(0),
        Value::Double(double) => {
            // Modulo 2^32, then reinterpreted as signed: a direct cast would saturate instead of wrapping.
            const WRAP: f64 = 4_294_967_296.0;
            Some(double.trunc().rem_euclid(WRAP) as u32 as i32)
        }
        _ => None,
    }
}
