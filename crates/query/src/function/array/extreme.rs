//! ARRAY_MIN and ARRAY_MAX.
//!
//! Owns the minimum and maximum of one array. Does not own MIN and MAX over rows: see `aggregate`.

use std::cmp::Ordering;

use crate::budget::text_units;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::{Value, total_order};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::Array, "ARRAY_MIN", |arguments, context| {
        extreme(arguments, context, Ordering::is_lt).into()
    })
    .required(&["array"])
    .returns(
        ReturnKind::Any,
        "The smallest element, in the order null, Boolean, number, string; undefined if an element \
         is an array or object, and for an empty array.",
    )
    .examples(&[
        example("[3, 1, 2]", "1"),
        example("[12, \"abc\", true, false, null]", "null"),
        example("[\"abc\", \"ABC\", \"aBc\", \"AbC\"]", "\"ABC\""),
        example("[1, []]", "undefined"),
        example("[]", "undefined"),
        example("1", "undefined"),
    ]),
    Function::scalar(FunctionFamily::Array, "ARRAY_MAX", |arguments, context| {
        extreme(arguments, context, Ordering::is_gt).into()
    })
    .required(&["array"])
    .returns(
        ReturnKind::Any,
        "The largest element, in the order null, Boolean, number, string; undefined if an element \
         is an array or object, and for an empty array.",
    )
    .examples(&[
        example("[1, 2, 3, 4]", "4"),
        example("[\"abc\", \"ABC\", \"aBc\", \"AbC\"]", "\"abc\""),
        example("[true, false]", "true"),
        example("[null, null]", "null"),
        example("[12, \"abc\", true, false, null]", "\"abc\""),
        example("[{}, 1]", "undefined"),
    ]),
];

fn extreme(
    arguments: &[Value],
    context: &CallContext<'_>,
    is_better: impl Fn(Ordering) -> bool,
) -> Option<Value> {
    let elements = arguments.first()?.as_array()?;
    let is_nested = |element: &Value| matches!(element, Value::Array(_) | Value::Object(_));
    if elements.iter().any(is_nested) {
        return None;
    }
    let (first, rest) = elements.split_first()?;
    let mut best = first;
    for element in rest {
        // Two long strings may differ in their last letter only.
        context.budget.work(text_units(element))?;
        if is_better(total_order(element, best)) {
            best = element;
        }
    }
    Some(best.clone())
}
