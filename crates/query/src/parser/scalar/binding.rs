//! How tightly expressions bind.
//!
//! Owns the order of all forms, binary operators among them. Does not own which form a token begins: see `infix`.

use crate::ast::Level;

/// How tightly a form binds, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    /// `a ? b : c`
    Conditional,
    /// `a ?? b`
    Coalesce,
    /// BETWEEN stands apart: it is no operand of AND and OR unless in parentheses, while IN and LIKE are.
    Between,
    /// `OR`
    Or,
    /// `AND`
    And,
    /// `IN` and `LIKE`, once: they are no operands of each other.
    Membership,
    /// Comparisons and shifts.
    Comparison,
    /// `||`
    Concatenation,
    /// `|`, `^`, `&`, `+`, `-`
    Additive,
    /// `*`, `/`, `%`
    Multiplicative,
    /// An operator before its operand, a path, a constant, anything in parentheses.
    Unary,
}

impl Binding {
    /// How loosely the right operand of a binary operator may bind. All of them group to the left.
    pub(super) fn of_right_operand(level: Level) -> Self {
        match level {
            Level::Or => Self::And,
            Level::And => Self::Membership,
            Level::Comparison => Self::Concatenation,
            Level::Concatenation => Self::Additive,
            Level::Additive => Self::Multiplicative,
            Level::Multiplicative => Self::Unary,
        }
    }
}

impl From<Level> for Binding {
    fn from(level: Level) -> Self {
        match level {
            Level::Or => Self::Or,
            Level::And => Self::And,
            Level::Comparison => Self::Comparison,
            Level::Concatenation => Self::Concatenation,
            Level::Additive => Self::Additive,
            Level::Multiplicative => Self::Multiplicative,
        }
    }
}
