//! Comparison operators, which may be undefined.
//!
//! Owns `=`, `<` and the other comparisons, IN and BETWEEN, and the equality of rows. Does not own the order of ORDER
//! BY, which compares any two values: see `order`.

use std::cmp::Ordering;

use super::logic::{and, not, or};
use super::number::compare_mixed;
use super::{Value, ValueObject};

/// `left = right`: undefined if either is; false between different types and for NaN.
#[must_use]
pub fn equal(left: &Value, right: &Value) -> Option<bool> {
    if !left.is_defined() || !right.is_defined() {
        return None;
    }
    Some(is_same(left, right, &|left, right| left == right))
}

/// `left != right`: undefined if either is.
#[must_use]
pub fn not_equal(left: &Value, right: &Value) -> Option<bool> {
    not(equal(left, right))
}

/// The order of two primitive values of the same type; `None` for any other pair and for NaN.
#[must_use]
pub fn relate(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Null, Value::Null) => Some(Ordering::Equal),
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        (Value::String(left), Value::String(right)) => Some(model::compare_strings(left, right)),
        _ => relate_numbers(left, right),
    }
}

/// The exact order of two numbers; `None` if one is NaN or not a number.
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

/// `value IN (…)`: the OR of all comparisons with `=`; undefined if the value is.
#[must_use]
pub fn in_list(value: &Value, candidates: &[Value]) -> Option<bool> {
    if !value.is_defined() {
        return None;
    }
    let mut result = Some(false);
    for candidate in candidates {
        result = or(result, equal(value, candidate));
        // True is final; undefined is not, since a later candidate may be equal.
        if result == Some(true) {
            break;
        }
    }
    result
}

/// Equality of rows and groups, as DISTINCT and GROUP BY need it: undefined equals undefined and NaN equals NaN, so
/// that every value equals itself. This differs from `=`. `Hash` must agree with it.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        is_same(self, other, &|left, right| left == right || (left.is_nan() && right.is_nan()))
    }
}

impl Eq for Value {}

/// Structural equality: the order of properties is irrelevant and `1` equals `1.0`. The caller compares doubles,
/// because `=` and `Eq` treat NaN differently.
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
        // Two integers, or an integer and a double; any other pair has different types and is unequal.
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
    // Objects from one source have the same property order; only otherwise are the properties sorted.
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
