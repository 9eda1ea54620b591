//! The result of binding.
//!
//! Owns the types of a bound query and of its expressions. Does not own how they are made: see the files beside this
//! folder.

mod expression;
mod query;

pub use expression::{Expression, PathStep};
pub use query::{
    AggregateCall, BoundOrderBy, BoundQuery, BoundSource, Grouping, Input, OrderKey, Output,
    OutputProjection, OutputProperty,
};
