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
        operate(arguments, context, |left, right| distinct(left.iter().chain(right), context))
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
            let left = set_of(left, context)?;
            distinct(right.iter().filter(|element| left.contains(element)), context)
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
            let right = set_of(right, context)?;
            distinct(left.iter().filter(|element| !right.contains(element)), context)
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
            Some(Value::Bool(set_of(left, context)? == set_of(right, context)?))
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
    operate: impl Fn(&[Value], &[Value]) -> Option<Value>,
) -> Value {
    let [Value::Array(left), Value::Array(right)] = arguments else { return Value::Undefined };
    let mut elements = left.iter().chain(right.iter());
    let is_allowed = elements.try_for_each(|element| context.count_element(element)).is_some();
    is_allowed.then(|| operate(left, right)).flatten().into()
}

/// Elements that are found by their hash. Asks for each, so that a million of them can be interrupted.
fn set_of<'element>(
    elements: &'element [Value],
    context: &CallContext<'_>,
) -> Option<HashSet<&'element Value>> {
    elements.iter().map(|element| context.budget.work(1).map(|()| element)).collect()
}

/// Removes duplicates; the first occurrence stays.
fn distinct<'element>(
    elements: impl Iterator<Item = &'element Value>,
    context: &CallContext<'_>,
) -> Option<Value> {
    let (mut unique, mut kept) = (HashSet::new(), Vec::new());
    for element in elements {
        context.budget.work(1)?;
        if unique.insert(element) {
            kept.push(element.clone());
        }
    }
    Some(Value::array(kept))
}
