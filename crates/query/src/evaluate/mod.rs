//! Expressions evaluated.
//!
//! Owns the value of every form of expression over a row of slots: logic, comparison, arithmetic, construction, calls
//! and subqueries, and what may go wrong on the way. An expression is prepared once, so that constants, patterns and
//! functions are not looked up again for every row. Does not own rows: where they come from and what becomes of them is
//! `operator`.

mod context;
mod error;
mod memory;
mod scope;

mod expression;
mod formula;

#[cfg(test)]
mod tests;

pub use context::{EvaluationContext, NoUserFunctions, UserFunctions};
pub use error::EvaluationError;
pub use expression::PreparedExpression;

pub(crate) use formula::{Formula, Preparation, walk};
pub(crate) use memory::{Memory, bytes_of};
pub(crate) use scope::{Environment, Scope};
