//! ARRAY_CONCAT: arrays one after the other.
//!
//! Concatenates arrays only; strings are concatenated by CONCAT.

use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::Array, "ARRAY_CONCAT", |arguments, context| {
        concat(arguments, context).into()
    })
    .required(&["first", "second"])
    .variadic()
    .returns(ReturnKind::Array, "The elements of all arrays, in order.")
    .examples(&[
        example("[1, 2], [3], [\"a\"]", "[1,2,3,\"a\"]"),
        example("[], []", "[]"),
        example("[1], 2", "undefined"),
        example("[1], undefined", "undefined"),
    ])];

fn concat(arguments: &[Value], context: &CallContext<'_>) -> Option<Value> {
    let arrays: Vec<&[Value]> = arguments.iter().map(Value::as_array).collect::<Option<_>>()?;
    // One by one, so that counting ends with the limit.
    arrays.iter().copied().flatten().try_for_each(|element| context.count_element(element))?;
    Some(Value::Array(arrays.concat().into()))
}
