//! How tightly expressions bind.
//!
//! Owns the order of all forms, binary operators among them. Does not own which form a token begins: see `infix`.

use crate::ast::Precedence;

/// How tightly a form binds, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BindingPower {
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

impl BindingPower {
    /// How loosely the right operand of a binary operator may bind. All of them group to the left.
    pub(super) fn for_right_operand(level: Precedence) -> Self {
        match level {
            Precedence::Or => Self::And,
            Precedence::And => Self::Membership,
            Precedence::Comparison => Self::Concatenation,
            Precedence::Concatenation => Self::Additive,
            Precedence::Additive => Self::Multiplicative,
            Precedence::Multiplicative => Self::Unary,
        }
    }
}

impl From<Precedence> for BindingPower {
    fn from(level: Precedence) -> Self {
        match level {
            Precedence::Or => Self::Or,
            Precedence::And => Self::And,
            Precedence::Comparison => Self::Comparison,
            Precedence::Concatenation => Self::Concatenation,
            Precedence::Additive => Self::Additive,
            Precedence::Multiplicative => Self::Multiplicative,
        }
    }
}
