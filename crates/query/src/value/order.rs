//! The total order of values, as in ORDER BY.
//!
//! Owns the total order of values of evaluation, which equals that of `model::compare` for stored values: an index and
//! a sort must agree. Does not own comparison operators.

use std::cmp::Ordering;

use super::compare::relate_numbers;
use super::{Value, structural_hash};

/// Compares any two values. The types are ordered undefined, null, false, true, number (NaN first), string, array,
/// object.
#[must_use]
pub fn total_order(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::String(left), Value::String(right)) => model::compare_strings(left, right),
        (Value::Array(left_elements), Value::Array(right_elements)) => {
            by_hash(left, right, || total_order_of_all(left_elements, right_elements))
        }
        (Value::Object(left_object), Value::Object(right_object)) => by_hash(left, right, || {
            let (left, right) = (left_object.sorted(), right_object.sorted());
            let names = |properties: &[(&str, &Value)]| -> Vec<String> {
                properties.iter().map(|(name, _)| (*name).to_owned()).collect()
            };
            // Reached only if two hashes collide, so the allocations do not matter.
            names(&left).cmp(&names(&right)).then_with(|| {
                let order =
                    left.iter().zip(&right).map(|((_, left), (_, right))| total_order(left, right));
                order.fold(Ordering::Equal, Ordering::then)
            })
        }),
        _ if left.is_number() && right.is_number() => {
            // NaN sorts before all other numbers and equals itself.
            relate_numbers(left, right).unwrap_or_else(|| is_nan(right).cmp(&is_nan(left)))
        }
        _ => rank(left).cmp(&rank(right)),
    }
}

/// Arrays and objects are ordered by their structural hashes. If two hashes collide, the contents decide, so that only
/// equal values compare as equal.
fn by_hash(left: &Value, right: &Value, by_parts: impl FnOnce() -> Ordering) -> Ordering {
    structural_hash(left).cmp(&structural_hash(right)).then_with(by_parts)
}

fn total_order_of_all(left: &[Value], right: &[Value]) -> Ordering {
    let order = left.iter().zip(right).map(|(left, right)| total_order(left, right));
    // Compares all elements even after a difference; it is reached only if two hashes collide.
    order.fold(Ordering::Equal, Ordering::then).then(left.len().cmp(&right.len()))
}

fn is_nan(value: &Value) -> bool {
    matches!(value, Value::Double(double) if double.is_nan())
}

/// The rank of a type, and of the two Booleans, among all types.
fn rank(value: &Value) -> u8 {
    match value {
        Value::Undefined => 0,
        Value::Null => 1,
        Value::Bool(false) => 2,
        Value::Bool(true) => 3,
        Value::Integer(_) | Value::Double(_) => 4,
        Value::String(_) => 5,
        Value::Array(_) => 6,
        Value::Object(_) => 7,
    }
}
