//! ARRAY_CONTAINS_ALL and ARRAY_CONTAINS_ANY: several values at once.
//!
//! Owns how the results for each value combine: by three-valued AND and OR.

use crate::budget::value_units;
use crate::function::context::CallContext;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::logic::{and, or};
use crate::value::{Value, equal};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::Array, "ARRAY_CONTAINS_ALL", |arguments, context| {
        combine(arguments, context, Some(true), and).into()
    })
    .required(&["array", "value"])
    .variadic()
    .returns(
        ReturnKind::Boolean,
        "Whether every value equals an element; a value that does not decides, an undefined one \
         otherwise makes the answer undefined.",
    )
    .examples(&[
        example("[1, true, \"3\", [1,2,3]], 1, true, \"3\", [1,2,3]", "true"),
        example("[1, 2, 3, 4], 2, 3, 4, 5", "false"),
        example("[1, 2, 3, 4], 1, undefined", "undefined"),
        example("[1, 2, 3, 4], 5, undefined", "false"),
        example("[], 1", "false"),
        example("1, 1", "undefined"),
    ]),
    Function::scalar(FunctionFamily::Array, "ARRAY_CONTAINS_ANY", |arguments, context| {
        combine(arguments, context, Some(false), or).into()
    })
    .required(&["array", "value"])
    .variadic()
    .returns(
        ReturnKind::Boolean,
        "Whether some value equals an element; a value that does decides, an undefined one \
         otherwise makes the answer undefined.",
    )
    .examples(&[
        example("[1, true, \"3\", [1,2,3]], 1, true, \"3\", [1,2,3]", "true"),
        example("[1, 2, 3, 4], 2, 3, 4, 5", "true"),
        example("[1, 2, 3, 4], 1, undefined", "true"),
        example("[1, 2, 3, 4], 5, 6, 7, 8", "false"),
        example("[], 1, 2, 3", "false"),
        example("[1, 2, 3, 4], 5, undefined", "undefined"),
    ]),
];

fn combine(
    arguments: &[Value],
    context: &CallContext<'_>,
    start: Option<bool>,
    operate: impl Fn(Option<bool>, Option<bool>) -> Option<bool>,
) -> Option<bool> {
    let (array, values) = arguments.split_first()?;
    let elements = array.as_array()?;
    let contains = |value: &Value| {
        // The array is read once for each value.
        context.budget.work(value_units(array))?;
        let found = || elements.iter().any(|element| equal(element, value) == Some(true));
        value.is_defined().then(found)
    };
    values.iter().map(contains).fold(start, operate)
}
