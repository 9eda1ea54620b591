//! Expressions.
//!
//! Owns the rule that operators and parentheses cost no stack: what waits for an operand waits in a list. The service's
//! own printed form has a pair of parentheses round every operator, so parentheses must not count where operators do
//! not; and what counts, the levels of the tree and the nesting of lists and subqueries, is the same for a text and for
//! what is printed of it. The parser calls itself only for what stands between brackets, braces and commas, and for
//! subqueries.

mod begin;
mod binding_power;
mod complete;
mod construct;
mod expression;
mod infix;
mod path;
mod pending;
mod primary;

use super::Parsed;
pub(super) use expression::MeasuredScalar;
