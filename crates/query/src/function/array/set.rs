//! SETUNION, SETINTERSECT, SETDIFFERENCE and SETEQUAL: arrays as sets.
//!
//! Owns the removal of duplicates and the order of the results: that of the first occurrence, for SETINTERSECT in the
//! second array.

use std::collections::HashSet;

use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::Array, "SETUNION", |arguments, context| {
        operate(arguments, context, |left, right| distinct(left.iter().chain(right)))
    })
    .aliases(&["SET_UNION"])
    .required(&["left", "right"])
    .returns(ReturnKind::Array, "The elements of either array, without duplicates.")
    .examples(&[
        example("[1, 2, 3], [3, 4]", "[1,2,3,4]"),
        example("[1, 1], [\"A\", 1.0]", "[1,\"A\"]"),
        example("[1], 1", "undefined"),
    ]),
    // By the equality of rows, in which NaN equals itself; with `=` an array would not even equal itself.
    Function::scalar(FunctionFamily::Array, "SETINTERSECT", |arguments, context| {
        operate(arguments, context, |left, right| {
            let left: HashSet<&Value> = left.iter().collect();
            distinct(right.iter().filter(|element| left.contains(element)))
        })
    })
    .aliases(&["SET_INTERSECT"])
    .required(&["left", "right"])
    .returns(
        ReturnKind::Array,
        "The elements of both arrays, without duplicates, in the order of the second.",
    )
    .examples(&[
        example("[1, 2, \"A\", \"B\"], [\"A\", 1]", "[\"A\",1]"),
        example("[1, 2], [3]", "[]"),
        example("[1, 1], [1, 1]", "[1]"),
        example("null, [1]", "undefined"),
    ]),
    Function::scalar(FunctionFamily::Array, "SETDIFFERENCE", |arguments, context| {
        operate(arguments, context, |left, right| {
            let right: HashSet<&Value> = right.iter().collect();
            distinct(left.iter().filter(|element| !right.contains(element)))
        })
    })
    .aliases(&["SET_DIFFERENCE"])
    .required(&["left", "right"])
    .returns(
        ReturnKind::Array,
        "The elements of the first array that are not in the second, without duplicates.",
    )
    .examples(&[
        example("[1, 2, 3], [1, 2, 6, 7]", "[3]"),
        example("[1, 2, 6, 7], [1, 2, 3]", "[6,7]"),
        example("[1, 2, 3, 4], [1, 2, 3, 4, 5, 6]", "[]"),
        example("[], [1, 2, 3]", "[]"),
        example("[1, 2, 3], []", "[1,2,3]"),
        example("[1, 1, 1, 1], [2, 3, 4]", "[1]"),
    ]),
    Function::scalar(FunctionFamily::Array, "SETEQUAL", |arguments, context| {
        operate(arguments, context, |left, right| {
            let (left, right): (HashSet<&Value>, HashSet<&Value>) =
                (left.iter().collect(), right.iter().collect());
            Value::Bool(left == right)
        })
    })
    .aliases(&["SET_EQUAL"])
    .required(&["left", "right"])
    .returns(
        ReturnKind::Boolean,
        "Whether two arrays have the same elements, regardless of duplicates.",
    )
    .examples(&[
        example("[1, 2, 3], [3, 2, 1]", "true"),
        example("[1, 1, 2], [1, 2]", "true"),
        example("[1, 2], [1, 2, 3]", "false"),
        example("[], []", "true"),
        example("[1], undefined", "undefined"),
    ]),
];

/// Applies an operation to two arrays. All of both counts: it is hashed, and at most all of it is part of the result.
fn operate(
    arguments: &[Value],
    context: &CallContext<'_>,
    operate: impl Fn(&[Value], &[Value]) -> Value,
) -> Value {
    let [Value::Array(left), Value::Array(right)] = arguments else { return Value::Undefined };
    let mut elements = left.iter().chain(right.iter());
    let is_allowed = elements.try_for_each(|element| context.count_element(element)).is_some();
    if is_allowed { operate(left, right) } else { Value::Undefined }
}

/// Removes duplicates; the first occurrence stays.
fn distinct<'element>(elements: impl Iterator<Item = &'element Value>) -> Value {
    let mut unique = HashSet::new();
    Value::array(elements.filter(|element| unique.insert(*element)).cloned())
}
