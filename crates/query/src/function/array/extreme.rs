//! ARRAY_MIN and ARRAY_MAX: the first and the last element by value.
//!
//! Owns the choice inside one array. Does not own MIN and MAX over rows: see `aggregate`.

use std::cmp::Ordering;

use crate::function::declaration::{Family, Function, ReturnKind, call};
use crate::value::{Value, total_order};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(Family::Array, "ARRAY_MIN", |arguments, _| {
        extreme(arguments, Ordering::is_lt)
    })
    .takes(&["array"])
    .gives(
        ReturnKind::Any,
        "The least element, by null, Boolean, number, string; undefined with an array or object \
         among them, and for none.",
    )
    .examples(&[
        call("[3, 1, 2]", "1"),
        call("[12, \"abc\", true, false, null]", "null"),
        call("[\"abc\", \"ABC\", \"aBc\", \"AbC\"]", "\"ABC\""),
        call("[1, []]", "undefined"),
        call("[]", "undefined"),
        call("1", "undefined"),
    ]),
    Function::scalar(Family::Array, "ARRAY_MAX", |arguments, _| {
        extreme(arguments, Ordering::is_gt)
    })
    .takes(&["array"])
    .gives(
        ReturnKind::Any,
        "The greatest element, by null, Boolean, number, string; undefined with an array or object \
         among them, and for none.",
    )
    .examples(&[
        call("[1, 2, 3, 4]", "4"),
        call("[\"abc\", \"ABC\", \"aBc\", \"AbC\"]", "\"abc\""),
        call("[true, false]", "true"),
        call("[null, null]", "null"),
        call("[12, \"abc\", true, false, null]", "\"abc\""),
        call("[{}, 1]", "undefined"),
    ]),
];

fn extreme(arguments: &[Value], is_better: impl Fn(Ordering) -> bool) -> Value {
    let Some(elements) = arguments.first().and_then(Value::as_array) else {
        return Value::Undefined;
    };
    let is_nested = |element: &Value| matches!(element, Value::Array(_) | Value::Object(_));
    if elements.iter().any(is_nested) {
        return Value::Undefined;
    }
    let better = |best: Value, element: &Value| {
        if is_better(total_order(element, &best)) { element.clone() } else { best }
    };
    match elements.split_first() {
        Some((first, rest)) => rest.iter().fold(first.clone(), better),
        None => Value::Undefined,
    }
}
