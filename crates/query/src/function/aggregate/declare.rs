//! Declarations of COUNT, SUM, AVG, MIN, MAX, COUNTIF, MAKELIST and MAKESET.
//!
//! Does not own what they compute: see `state`.

use super::state::Aggregate;
use crate::function::declaration::{Function, FunctionBody, FunctionFamily, ReturnKind, example};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    aggregate("COUNT", Aggregate::Count)
        .returns(ReturnKind::Integer, "The number of rows with a value, null included.")
        .examples(&[example("1, null, undefined, {}", "3"), example("", "0")]),
    aggregate("SUM", Aggregate::Sum)
        .returns(
            ReturnKind::Number,
            "The sum of the rows' numbers; rows without a value are skipped, any other type makes \
             the sum undefined.",
        )
        .examples(&[
            example("1, 2.5, undefined", "3.5"),
            example("1, \"2\"", "undefined"),
            example("1, null", "undefined"),
            example("", "0"),
        ]),
    aggregate("AVG", Aggregate::Average)
        .returns(
            ReturnKind::Number,
            "The mean of the rows' numbers; rows without a value are skipped, any other type makes \
             the mean undefined.",
        )
        .examples(&[
            example("1, 2, undefined", "1.5"),
            example("1, true", "undefined"),
            example("", "undefined"),
        ]),
    aggregate("MIN", Aggregate::Min)
        .returns(
            ReturnKind::Any,
            "The smallest value of the rows, in the order null, Boolean, number, string; an array or object \
             makes it undefined.",
        )
        .examples(&[
            example("2, 1, undefined", "1"),
            example("\"a\", 1, true, null", "null"),
            example("1, []", "undefined"),
            example("", "undefined"),
        ]),
    aggregate("MAX", Aggregate::Max)
        .returns(
            ReturnKind::Any,
            "The largest value of the rows, in the order null, Boolean, number, string; an array or object \
             makes it undefined.",
        )
        .examples(&[
            example("2, 1, undefined", "2"),
            example("\"a\", 1, true, null", "\"a\""),
            example("{}, 1", "undefined"),
        ]),
    aggregate("COUNTIF", Aggregate::CountIf)
        .undocumented()
        .returns(ReturnKind::Integer, "The number of rows with the value true.")
        .examples(&[example("true, false, 1, undefined, true", "2"), example("", "0")]),
    aggregate("MAKELIST", Aggregate::MakeList)
        .undocumented()
        .returns(ReturnKind::Array, "The values of the rows as an array.")
        .examples(&[example("1, undefined, 1, null", "[1,1,null]"), example("", "[]")]),
    aggregate("MAKESET", Aggregate::MakeSet)
        .undocumented()
        .returns(ReturnKind::Array, "The values of the rows as an array, without duplicates.")
        .examples(&[example("1, undefined, 1.0, null", "[1,null]"), example("", "[]")]),
];

const fn aggregate(name: &'static str, aggregate: Aggregate) -> Function {
    Function::new(FunctionFamily::Aggregate, name, FunctionBody::Aggregate(aggregate))
        .required(&["value"])
}
