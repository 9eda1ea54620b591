//! Expressions.
//!
//! Owns the rule that operators and parentheses cost no stack: what waits for an operand waits in a list (operator
//! precedence parsing with an explicit stack). The service's printed form has a pair of parentheses around every
//! operator, so a query that was accepted must not be rejected after printing because of its parentheses. What is
//! limited, the levels of the tree and the nesting of lists and subqueries, is the same for a text and for its printed
//! form. The parser recurses only for what is between brackets, braces and commas, and for subqueries.

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
