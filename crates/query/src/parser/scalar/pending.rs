//! What waits for an operand.
//!
//! Owns the list of operators and parentheses that are begun and not complete, innermost last. Does not own how they
//! begin (`begin`) and what becomes of them (`complete`).

use super::MeasuredScalar;
use super::binding_power::BindingPower;
use super::infix::Infix;
use crate::ast::{BinaryOperator, ConditionalBranch, Negation, Scalar, Span, UnaryOperator};

/// Something begun, with all that is read of it.
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
    /// Levels of the deepest part.
    pub(super) levels: usize,
    pub(super) start: Span,
}

impl Pending {
    /// How loosely the operand that is waited for may bind.
    pub(super) fn accepts(&self) -> BindingPower {
        match self {
            Self::Parenthesis | Self::Value { .. } => BindingPower::Conditional,
            Self::Otherwise { .. } => BindingPower::Coalesce,
            Self::Coalesce { .. } => BindingPower::Between,
            Self::Like { .. } | Self::Low { .. } | Self::High { .. } => BindingPower::Comparison,
            Self::Binary { operator, .. } => BindingPower::for_right_operand(operator.precedence()),
            Self::Unary { .. } => BindingPower::Unary,
        }
    }

    /// Whether an operator goes on with this instead of beginning something inside or around it.
    pub(super) fn goes_on_with(&self, infix: Infix) -> bool {
        matches!(
            (self, infix),
            (Self::Coalesce { .. }, Infix::Coalesce) | (Self::Otherwise { .. }, Infix::Question)
        )
    }
}
