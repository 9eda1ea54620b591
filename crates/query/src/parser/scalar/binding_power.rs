//! The precedence of all forms of expressions.
//!
//! Owns the order of all forms, including binary operators. Does not own which form a token starts: see `infix`.

use crate::ast::Precedence;

/// How tightly a form binds, loosest first. As in a Pratt parser, an operator takes an operand only if the operand
/// binds tightly enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BindingPower {
    /// `a ? b : c`
    Conditional,
    /// `a ?? b`
    Coalesce,
    /// `BETWEEN`. Unlike IN and LIKE it is not accepted as an operand of AND and OR without parentheses.
    Between,
    /// `OR`
    Or,
    /// `AND`
    And,
    /// `IN` and `LIKE`. Not associative: neither is accepted as an operand of the other without parentheses.
    Membership,
    /// Comparisons and shifts.
    Comparison,
    /// `||`
    Concatenation,
    /// `|`, `^`, `&`, `+`, `-`
    Additive,
    /// `*`, `/`, `%`
    Multiplicative,
    /// A prefix operator, a path, a constant, or anything in parentheses.
    Unary,
}

impl BindingPower {
    /// The loosest binding allowed for the right operand of a binary operator. It is one level tighter than the
    /// operator itself, which makes every binary operator left-associative.
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
