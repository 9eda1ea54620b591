//! Rows: from pushed items to the answer.
//!
//! Owns the inputs of a query, the steps after them (see `stage`) and the two ways to run them. Rows are pushed from
//! step to step, so a product of inputs is never held; only groups, orders and distinct rows are, within a bound of
//! bytes. Does not own expressions (see `evaluate`), nor which items are pushed: the engine reads them, by an index or
//! not.

mod pipeline;

mod prefilter;
mod required_properties;
mod source;
mod unnest;

mod stage;

mod execution;
mod executor;
mod expression;
mod predicate;
mod row_text;
mod stream;

#[cfg(test)]
mod tests;

pub use executor::Executor;
pub use expression::PreparedExpression;
pub use predicate::ItemPredicate;
pub use row_text::{row_text, rows_text};
pub use stage::{PartialGroup, RowOrder};
pub use stream::RowStream;
