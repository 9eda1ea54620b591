//! Arithmetic operators and concatenation.
//!
//! Owns `+ - * / %`, the signs and `||`: exact on 64-bit integers, doubles beyond. Does not own the INT functions,
//! which are undefined on overflow instead of widening.

use super::Value;

/// `left + right`.
#[must_use]
pub fn add(left: &Value, right: &Value) -> Value {
    calculate(left, right, i64::checked_add, |left, right| left + right)
}

/// `left - right`.
#[must_use]
pub fn subtract(left: &Value, right: &Value) -> Value {
    calculate(left, right, i64::checked_sub, |left, right| left - right)
}

/// `left * right`.
#[must_use]
pub fn multiply(left: &Value, right: &Value) -> Value {
    calculate(left, right, i64::checked_mul, |left, right| left * right)
}

/// `left / right`: never truncated; division by zero is infinite or NaN.
#[must_use]
pub fn divide(left: &Value, right: &Value) -> Value {
    let exact = |left: i64, right: i64| {
        // An integer only if the division leaves no remainder. `None` for a zero divisor and for i64::MIN / -1, which
        // are then divided as doubles.
        (left.checked_rem(right)? == 0).then(|| left.checked_div(right)).flatten()
    };
    calculate(left, right, exact, |left, right| left / right)
}

/// `left % right`: has the sign of the dividend; NaN for a zero divisor.
#[must_use]
pub fn remainder(left: &Value, right: &Value) -> Value {
    // i64::MIN % -1 overflows in the processor, but its mathematical value is 0, which wrapping gives.
    let exact = |left: i64, right: i64| (right != 0).then(|| left.wrapping_rem(right));
    calculate(left, right, exact, |left, right| left % right)
}

/// `-operand`.
#[must_use]
pub fn negate(operand: &Value) -> Value {
    match operand {
        Value::Integer(integer) => match integer.checked_neg() {
            Some(negated) => Value::Integer(negated),
            // Only i64::MIN, which is a power of two and exact as a double.
            None => Value::Double(-(*integer as f64)),
        },
        Value::Double(double) => Value::Double(-double),
        _ => Value::Undefined,
    }
}

/// `+operand`.
#[must_use]
pub fn identity(operand: &Value) -> Value {
    if operand.is_number() { operand.clone() } else { Value::Undefined }
}

/// `left || right`: defined for two strings only.
#[must_use]
pub fn concatenate(left: &Value, right: &Value) -> Value {
    match (left.as_str(), right.as_str()) {
        (Some(left), Some(right)) => Value::from([left, right].concat()),
        _ => Value::Undefined,
    }
}

/// Calculates exactly with two integers if that succeeds, otherwise with doubles; undefined unless both are numbers.
fn calculate(
    left: &Value,
    right: &Value,
    exact: impl Fn(i64, i64) -> Option<i64>,
    rounded: impl Fn(f64, f64) -> f64,
) -> Value {
    if let (Value::Integer(left), Value::Integer(right)) = (left, right)
        && let Some(result) = exact(*left, *right)
    {
        return Value::Integer(result);
    }
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => Value::Double(rounded(left, right)),
        _ => Value::Undefined,
    }
}
