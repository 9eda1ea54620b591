//! Random query texts, weighted towards what a planner treats.

mod condition;
mod expression;
mod order;
mod scope;
mod select;
mod text;

pub(super) use text::{QueryText, query_text};
