//! Tokens to tree.
//!
//! Owns the native grammar, one file per clause, and its limits. Like the service's parser it stops at the first
//! mistake. Does not own names and rules beyond grammar: see `bind`.

mod count;
mod from;
mod order_by;
mod query;
mod scalar;
mod select;
mod state;
mod whole;

#[cfg(test)]
mod tests;

use whole::Parsed;
pub use whole::parse;
pub(crate) use whole::parse_condition;
