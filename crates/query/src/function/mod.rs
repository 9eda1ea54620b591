//! The function library, by family.
//!
//! Owns the name, arguments, result and examples of each function. Does not own calls in an expression, nor the choice
//! of an index: a declaration only says what a function could use. Every function is total: an argument of the wrong
//! type makes the result undefined, never an error.

mod declaration;
mod registry;

mod argument;
mod context;

pub mod aggregate;
mod array;
mod conditional;
mod date_time;
pub mod full_text;
mod item;
mod mathematical;
mod spatial;
mod string;
mod type_check;
mod vector;

#[cfg(test)]
mod tests;

pub use aggregate::{Aggregate, AggregateState};
pub use context::{CallContext, PatternCache};
pub use date_time::UtcDateTime;
pub use declaration::{
    Arity, Example, Function, FunctionBody, FunctionFamily, IndexUse, ReturnKind, ScalarFunction,
};
pub use registry::{lookup, registry};
