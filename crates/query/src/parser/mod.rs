//! Tokens to syntax tree.
//!
//! Owns the service's grammar, one file per clause, and its limits. Like the service's parser it stops at the first
//! error. Does not own names and rules beyond grammar: see `bind`.

mod count;
mod from;
mod order_by;
mod parse;
mod query;
mod scalar;
mod select;
mod state;

#[cfg(test)]
mod tests;

use parse::Parsed;
pub use parse::parse;
pub(crate) use parse::parse_condition;
