//! Rows: from pushed items to the answer.
//!
//! Owns the inputs of a query, the steps after them (see `step`) and the two ways to run them. Rows are pushed from
//! step to step, so a product of inputs is never held; only groups, orders and distinct rows are, within a bound of
//! bytes. Does not own expressions (see `evaluate`), nor which items are pushed: the engine reads them, by an index or
//! not.

mod query;

mod needed;
mod sieve;
mod source;
mod unnest;

mod step;

mod answer;
mod executor;
mod expression;
mod predicate;
mod run;
mod stream;

#[cfg(test)]
mod tests;

pub use answer::{row_text, rows_text};
pub use executor::Executor;
pub use expression::PreparedExpression;
pub use predicate::ItemPredicate;
pub use step::{PartialGroup, RowOrder};
pub use stream::RowStream;
