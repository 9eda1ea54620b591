//! Random query texts, weighted towards what a planner treats.

mod condition;
mod expression;
mod function;
mod order;
mod scope;
mod select;
mod text;

pub(super) use function::stored_place;
pub(super) use text::{Known, QueryText, query_of_items, query_text};
