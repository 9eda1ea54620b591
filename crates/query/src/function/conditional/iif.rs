//! IIF: one of two values, by a condition.
//!
//! Owns the rule that only true chooses the first. Does not own the ternary operator, which follows the same rule.

use crate::function::declaration::{Family, Function, ReturnKind, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(Family::Conditional, "IIF", |arguments, _| match arguments {
        [Value::Bool(true), chosen, _] | [_, _, chosen] => chosen.clone(),
        _ => Value::Undefined,
    })
    .takes(&["condition", "when_true", "otherwise"])
    .gives(
        ReturnKind::Any,
        "The second argument when the condition is true, the third when it is anything else, \
         undefined included.",
    )
    .examples(&[
        call("true, 123, 456", "123"),
        call("false, 123, 456", "456"),
        call("123, 123, 456", "456"),
        call("\"true\", 123, 456", "456"),
        call("undefined, 1, 2", "2"),
    ])];
