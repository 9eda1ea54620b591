//! Comparison operators, where undefined is an answer.
//!
//! Owns `=`, `<` and their kin, IN and BETWEEN, and the equality of rows. Does not own the order of ORDER BY, which
//! compares anything with anything: see `order`.

use std::cmp::Ordering;

use super::logic::{and, not, or};
use super::number::compare_mixed;
use super::{Value, ValueObject};

/// `left = right`: undefined when either is, false between different types and for NaN.
#[must_use]
pub fn equal(left: &Value, right: &Value) -> Option<bool> {
    if !left.is_defined() || !right.is_defined() {
        return None;
    }
    Some(is_same(left, right, &|left, right| left == right))
}

/// `left != right`: undefined when either is.
#[must_use]
pub fn not_equal(left: &Value, right: &Value) -> Option<bool> {
    not(equal(left, right))
}

/// The order of two primitive values of one type; undefined for any other pair and for NaN.
#[must_use]
pub fn relate(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Null, Value::Null) => Some(Ordering::Equal),
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        (Value::String(left), Value::String(right)) => Some(model::compare_strings(left, right)),
        _ => relate_numbers(left, right),
    }
}

/// The exact order of two numbers; none when one is NaN or not a number.
pub(super) fn relate_numbers(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Integer(left), Value::Integer(right)) => Some(left.cmp(right)),
        (Value::Double(left), Value::Double(right)) => left.partial_cmp(right),
        (Value::Integer(left), Value::Double(right)) => compare_mixed(*left, *right),
        (Value::Double(left), Value::Integer(right)) => {
            compare_mixed(*right, *left).map(Ordering::reverse)
        }
        _ => None,
    }
}

/// `left < right`.
#[must_use]
pub fn less(left: &Value, right: &Value) -> Option<bool> {
    relate(left, right).map(Ordering::is_lt)
}

/// `left <= right`.
#[must_use]
pub fn less_or_equal(left: &Value, right: &Value) -> Option<bool> {
    relate(left, right).map(Ordering::is_le)
}

/// `left > right`.
#[must_use]
pub fn greater(left: &Value, right: &Value) -> Option<bool> {
    relate(left, right).map(Ordering::is_gt)
}

/// `left >= right`.
#[must_use]
pub fn greater_or_equal(left: &Value, right: &Value) -> Option<bool> {
    relate(left, right).map(Ordering::is_ge)
}

/// `value BETWEEN low AND high`, both ends included.
#[must_use]
pub fn between(value: &Value, low: &Value, high: &Value) -> Option<bool> {
    and(greater_or_equal(value, low), less_or_equal(value, high))
}

/// `value IN (…)`: the OR of the equalities; undefined for an undefined value.
#[must_use]
pub fn is_in(value: &Value, candidates: &[Value]) -> Option<bool> {
    if !value.is_defined() {
        return None;
    }
    let mut answer = Some(false);
    for candidate in candidates {
        answer = or(answer, equal(value, candidate));
        if answer == Some(true) {
            break;
        }
    }
    answer
}

/// Equality of rows and groups: undefined equals undefined and NaN equals NaN, so that every value equals itself.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        is_same(self, other, &|left, right| left == right || (left.is_nan() && right.is_nan()))
    }
}

impl Eq for Value {}

/// Structural equality; property order is irrelevant, `1` is `1.0`, doubles are compared by the caller.
fn is_same(left: &Value, right: &Value, same_double: &impl Fn(f64, f64) -> bool) -> bool {
    match (left, right) {
        (Value::Undefined, Value::Undefined) | (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::String(left), Value::String(right)) => left == right,
        (Value::Double(left), Value::Double(right)) => same_double(*left, *right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right.iter())
                    .all(|(left, right)| is_same(left, right, same_double))
        }
        (Value::Object(left), Value::Object(right)) => is_same_object(left, right, same_double),
        _ => relate_numbers(left, right) == Some(Ordering::Equal),
    }
}

fn is_same_object(
    left: &ValueObject,
    right: &ValueObject,
    same_double: &impl Fn(f64, f64) -> bool,
) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let names_agree = left.iter().zip(right.iter()).all(|((left, _), (right, _))| left == right);
    if names_agree {
        let mut pairs = left.iter().zip(right.iter());
        return pairs.all(|((_, left), (_, right))| is_same(left, right, same_double));
    }
    let (left, right) = (left.sorted(), right.sorted());
    left.iter().zip(&right).all(|((left_name, left), (right_name, right))| {
        left_name == right_name && is_same(left, right, same_double)
    })
}
