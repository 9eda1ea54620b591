//! Syntax tree to bound query: names, functions and rules.
//!
//! Owns the step from a syntax tree to a bound query: aliases become slots, parameters become values, functions are
//! looked up, and every rule that grammar cannot express is checked. All errors are collected, in the order of the
//! text. The bound query has its own types: the tree stays what the user wrote, for printing and rewriting, and the
//! bound query holds only what running it needs. Does not own the evaluation of functions, plans or partitions.

mod aggregate;
mod binder;
mod bound;
mod built_in;
mod call;
mod catalog;
mod computed;
mod count;
mod equivalence;
mod order_by;
mod parameters;
mod rank;
mod scalar;
mod select;
mod source;

#[cfg(test)]
mod tests;

pub use binder::{bind, bind_with};
pub use bound::{
    AggregateCall, BoundOrderBy, BoundQuery, BoundSource, Expression, Grouping, Input, OrderKey,
    Output, OutputProjection, OutputProperty, PathStep,
};
pub use built_in::BuiltInFunctions;
pub use catalog::{FunctionCatalog, FunctionKind, FunctionSignature};
pub use computed::ComputedProperties;
pub use parameters::Parameters;
