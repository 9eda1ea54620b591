//! Expressions, loosest operator first.
//!
//! Owns how an expression is entered: a run of opening parentheses costs no stack, because the service's own printed
//! form opens with as many parentheses as a chain has operands. Each file below owns one band of precedence; every
//! step takes the leftmost operand if it is already read.

mod binary;
mod construct;
mod expression;
mod logical;
mod primary;
mod ternary;
mod unary;

use super::Parsed;
pub(super) use expression::Measured;
