//! Operators and parentheses that wait for an operand.
//!
//! Owns the entries of that list and what each accepts. Does not own how they start (`begin`) and how they are
//! completed (`complete`).

use super::MeasuredScalar;
use super::binding_power::BindingPower;
use super::infix::Infix;
use crate::ast::{BinaryOperator, ConditionalBranch, Negation, Scalar, Span, UnaryOperator};

/// A waiting operator or parenthesis, with the operands read so far.
pub(super) enum Pending {
    /// `(`
    Parenthesis,
    /// `-`
    Unary { operator: UnaryOperator, start: Span },
    /// `left +`
    Binary { left: MeasuredScalar, operator: BinaryOperator },
    /// `value LIKE`
    Like { negation: Negation, value: MeasuredScalar },
    /// `value BETWEEN`
    Low { negation: Negation, value: MeasuredScalar },
    /// `value BETWEEN low AND`
    High { negation: Negation, value: MeasuredScalar, low: MeasuredScalar },
    /// `a ?? b ??`
    Coalesce { operands: Vec<Scalar>, levels: usize, span: Span },
    /// `a ? b : c ?`
    Value { branches: Branches, condition: MeasuredScalar },
    /// `a ? b : c ? d :`
    Otherwise { branches: Branches },
}

/// The complete branches of a conditional.
pub(super) struct Branches {
    pub(super) list: Vec<ConditionalBranch>,
    /// The levels of the deepest condition or value.
    pub(super) levels: usize,
    pub(super) start: Span,
}

impl Pending {
    /// The loosest binding allowed for the operand that it waits for.
    pub(super) fn accepts(&self) -> BindingPower {
        match self {
            Self::Parenthesis | Self::Value { .. } => BindingPower::Conditional,
            // Tighter than a conditional, which would nest to the right; `goes_on_with` extends the list of branches
            // instead.
            Self::Otherwise { .. } => BindingPower::Coalesce,
            Self::Coalesce { .. } => BindingPower::Between,
            // Above AND: the AND of BETWEEN ends its lower bound.
            Self::Like { .. } | Self::Low { .. } | Self::High { .. } => BindingPower::Comparison,
            Self::Binary { operator, .. } => BindingPower::for_right_operand(operator.precedence()),
            Self::Unary { .. } => BindingPower::Unary,
        }
    }

    /// Whether an operator extends this entry instead of starting something inside or around it.
    pub(super) fn goes_on_with(&self, infix: Infix) -> bool {
        matches!(
            (self, infix),
            (Self::Coalesce { .. }, Infix::Coalesce) | (Self::Otherwise { .. }, Infix::Question)
        )
    }
}
