//! COUNT, SUM, AVG, MIN, MAX, COUNTIF, MAKELIST and MAKESET as the language knows them.
//!
//! Owns their facts. Does not own what they do: see `state`.

use super::state::Aggregate;
use crate::function::declaration::{Family, Function, Kind, ReturnKind, call};

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    aggregate("COUNT", Aggregate::Count)
        .gives(ReturnKind::Integer, "How many rows have a value, null included.")
        .examples(&[call("1, null, undefined, {}", "3"), call("", "0")]),
    aggregate("SUM", Aggregate::Sum)
        .gives(
            ReturnKind::Number,
            "The sum of the rows' numbers; rows without a value are skipped, any other type makes \
             the sum undefined.",
        )
        .examples(&[
            call("1, 2.5, undefined", "3.5"),
            call("1, \"2\"", "undefined"),
            call("1, null", "undefined"),
            call("", "0"),
        ]),
    aggregate("AVG", Aggregate::Average)
        .gives(
            ReturnKind::Number,
            "The mean of the rows' numbers; rows without a value are skipped, any other type makes \
             the mean undefined.",
        )
        .examples(&[
            call("1, 2, undefined", "1.5"),
            call("1, true", "undefined"),
            call("", "undefined"),
        ]),
    aggregate("MIN", Aggregate::Min)
        .gives(
            ReturnKind::Any,
            "The least value of the rows, by null, Boolean, number, string; an array or object \
             makes it undefined.",
        )
        .examples(&[
            call("2, 1, undefined", "1"),
            call("\"a\", 1, true, null", "null"),
            call("1, []", "undefined"),
            call("", "undefined"),
        ]),
    aggregate("MAX", Aggregate::Max)
        .gives(
            ReturnKind::Any,
            "The greatest value of the rows, by null, Boolean, number, string; an array or object \
             makes it undefined.",
        )
        .examples(&[
            call("2, 1, undefined", "2"),
            call("\"a\", 1, true, null", "\"a\""),
            call("{}, 1", "undefined"),
        ]),
    aggregate("COUNTIF", Aggregate::CountIf)
        .undocumented()
        .gives(ReturnKind::Integer, "How many rows have the value true.")
        .examples(&[call("true, false, 1, undefined, true", "2"), call("", "0")]),
    aggregate("MAKELIST", Aggregate::MakeList)
        .undocumented()
        .gives(ReturnKind::Array, "The values of the rows as an array.")
        .examples(&[call("1, undefined, 1, null", "[1,1,null]"), call("", "[]")]),
    aggregate("MAKESET", Aggregate::MakeSet)
        .undocumented()
        .gives(ReturnKind::Array, "The values of the rows as an array, each once.")
        .examples(&[call("1, undefined, 1.0, null", "[1,null]"), call("", "[]")]),
];

const fn aggregate(name: &'static str, aggregate: Aggregate) -> Function {
    Function::new(Family::Aggregate, name, Kind::Aggregate(aggregate)).takes(&["value"])
}
