//! IIF: one of two values, depending on a condition.
//!
//! Only true selects the first value. The ternary operator follows the same rule, but evaluates only the selected
//! value.

use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::Conditional, "IIF", |arguments, _| match arguments {
        [Value::Bool(true), chosen, _] | [_, _, chosen] => chosen.clone(),
        _ => Value::Undefined,
    })
    .required(&["condition", "when_true", "otherwise"])
    .returns(
        ReturnKind::Any,
        "The second argument when the condition is true, the third when it is anything else, \
         undefined included.",
    )
    .examples(&[
        example("true, 123, 456", "123"),
        example("false, 123, 456", "456"),
        example("123, 123, 456", "456"),
        example("\"true\", 123, 456", "456"),
        example("undefined, 1, 2", "2"),
    ])];
