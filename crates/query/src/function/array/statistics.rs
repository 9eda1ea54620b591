//! ARRAY_SUM, ARRAY_AVG and ARRAY_MEDIAN.
//!
//! Owns the statistics of one array. Does not own the aggregates over rows: see `aggregate`.

use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::arithmetic::{add, divide};
use crate::value::{Value, total_order};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FunctionFamily::Array, "ARRAY_SUM", |arguments, _| {
        numbers(arguments).map(sum).unwrap_or_default()
    })
    .required(&["array"])
    .returns(ReturnKind::Number, "The sum of an array of numbers; 0 for none.")
    .examples(&[
        example("[1, 2, 3, 4]", "10"),
        example("[1, 2.5]", "3.5"),
        example("[]", "0"),
        example("[\"abc\"]", "undefined"),
    ]),
    Function::scalar(FunctionFamily::Array, "ARRAY_AVG", |arguments, _| {
        let average = |numbers: &[Value]| divide(&sum(numbers), &(numbers.len() as i64).into());
        numbers(arguments).filter(|numbers| !numbers.is_empty()).map(average).unwrap_or_default()
    })
    .required(&["array"])
    .returns(ReturnKind::Number, "The mean of an array of numbers; undefined for none.")
    .examples(&[
        example("[1, 2, 3, 4]", "2.5"),
        example("[1.0, 2.0, 3.3, 4.7]", "2.75"),
        example("[1, -2.7, 3, -4]", "-0.675"),
        example("[\"abc\", \"ABC\"]", "undefined"),
        example("[12, \"abc\", true, false, null]", "undefined"),
        example("[]", "undefined"),
    ]),
    Function::scalar(FunctionFamily::Array, "ARRAY_MEDIAN", |arguments, context| {
        let copy = |numbers: &&[Value]| context.budget.build(size_of_val(*numbers)).is_some();
        numbers(arguments).filter(copy).map(median).unwrap_or_default()
    })
    .required(&["array"])
    .returns(
        ReturnKind::Number,
        "The middle of an array of numbers in order, or the mean of the middle two; undefined for \
         none.",
    )
    .examples(&[
        example("[1, 2, 3, 4]", "2.5"),
        example("[1.0, 2.0, 3.3, 4.7, 7.8]", "3.3"),
        example("[1, -2.7, 3, -4]", "-0.85000000000000009"),
        example("[\"abc\"]", "undefined"),
        example("[]", "undefined"),
    ]),
];

/// The elements of an array that contains only numbers.
fn numbers(arguments: &[Value]) -> Option<&[Value]> {
    let elements = arguments.first()?.as_array()?;
    elements.iter().all(Value::is_number).then_some(elements)
}

fn sum(numbers: &[Value]) -> Value {
    numbers.iter().fold(Value::Integer(0), |sum, number| add(&sum, number))
}

fn median(numbers: &[Value]) -> Value {
    let mut numbers = numbers.to_vec();
    if numbers.is_empty() {
        return Value::Undefined;
    }
    let is_even = numbers.len().is_multiple_of(2);
    // Selected and not sorted: a sort of a million numbers could not be interrupted. A total order, because NaN may occur
    // among the results of other functions.
    let middle = numbers.len() / 2;
    let (below, middle, _) = numbers.select_nth_unstable_by(middle, total_order);
    match below.iter().max_by(|left, right| total_order(left, right)) {
        Some(low) if is_even => divide(&add(low, middle), &2.into()),
        _ => middle.clone(),
    }
}
