//! Running queries: items in, rows out.
//!
//! Owns the inputs of a query, the stages after them (see `stage`) and running them. Rows are pushed from
//! stage to stage, so a product of inputs is never materialized; only groups, ordered rows and distinct rows are kept,
//! within a memory limit. Does not own expressions (see `evaluate`), nor which items are pushed: the engine reads them,
//! with or without an index.

mod pipeline;

mod prefilter;
mod required_properties;
mod required_text;
mod source;
mod unnest;

mod stage;

mod executor;
mod expression;
mod predicate;
mod row_text;

#[cfg(test)]
mod tests;

pub use executor::QueryExecutor;
pub use expression::PreparedExpression;
pub use predicate::ItemPredicate;
pub use row_text::{ROW_TEXT_BYTES_MAX, row_text};
