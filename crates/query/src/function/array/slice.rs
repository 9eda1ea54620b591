//! ARRAY_SLICE: a part of an array.
//!
//! Owns positions counted from either end and their clamping. Does not own indexing with `[ ]`, which is an expression.

use crate::function::argument;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::Array, "ARRAY_SLICE", |arguments, context| {
        slice(arguments, context).into()
    })
    .required(&["array", "start"])
    .optional(&["length"])
    .returns(
        ReturnKind::Array,
        "The elements from a position on, counted from 0 or, if negative, from the end; at most \
             as many as the length.",
    )
    .examples(&[
        example("[70, 86, 92, 99, 85, 90, 82], 1", "[86,92,99,85,90,82]"),
        example("[70, 86, 92, 99, 85, 90, 82], -2", "[90,82]"),
        example("[70, 86, 92, 99, 85, 90, 82], -2, 1", "[90]"),
        example("[70, 86, 92], 1, 1000", "[86,92]"),
        example("[70, 86, 92], -100, 1", "[70]"),
        example("[70, 86, 92], 5", "[]"),
        example("[70, 86, 92], 0, -1", "[]"),
        example("[70, 86, 92], 0.5", "undefined"),
    ])];

fn slice(arguments: &[Value], context: &CallContext<'_>) -> Option<Value> {
    let elements = arguments.first()?.as_array()?;
    let start = argument::integer(arguments, 1)?;
    let length = argument::integer_or(arguments, 2, i64::MAX)?;
    // `unsigned_abs` also represents i64::MIN. Beyond the array, `saturating_sub` and `skip` clamp.
    let distance = usize::try_from(start.unsigned_abs()).unwrap_or(usize::MAX);
    let skipped = if start < 0 { elements.len().saturating_sub(distance) } else { distance };
    let kept = usize::try_from(length.max(0)).unwrap_or(usize::MAX);
    let kept = elements.iter().skip(skipped).take(kept);
    kept.clone().try_for_each(|element| context.count_element(element))?;
    Some(Value::array(kept.cloned()))
}
