//! RRF: reciprocal rank fusion.
//!
//! Owns the declaration. Does not own the evaluation: a rank is known only when all rows are, so the plan fuses them.

use crate::function::declaration::{Function, FunctionBody, FunctionFamily, ReturnKind};

pub(in crate::function) const FUNCTIONS: &[Function] = &[Function::new(
    FunctionFamily::FullText,
    "RRF",
    FunctionBody::Planned,
)
.required(&["first", "second"])
.variadic()
.returns(
    ReturnKind::Number,
    "Fuses the rankings of full text and vector scores: the sum over them of weight / (60 + \
             rank), with an array of weights as an optional last argument.",
)];
