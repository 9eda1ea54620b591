//! What waits for an operand.
//!
//! Owns the list of operators and parentheses that are begun and not complete, innermost last. Does not own how they
//! begin (`begin`) and what becomes of them (`complete`).

use super::Measured;
use super::binding::Binding;
use super::infix::Infix;
use crate::ast::{BinaryOperator, Branch, Negation, Scalar, Span, UnaryOperator};

/// Something begun, with all that is read of it.
pub(super) enum Pending {
    /// `(`
    Parenthesis,
    /// `-`
    Unary { operator: UnaryOperator, start: Span },
    /// `left +`
    Binary { left: Measured, operator: BinaryOperator },
    /// `value LIKE`
    Like { negation: Negation, value: Measured },
    /// `value BETWEEN`
    Low { negation: Negation, value: Measured },
    /// `value BETWEEN low AND`
    High { negation: Negation, value: Measured, low: Measured },
    /// `a ?? b ??`
    Coalesce { operands: Vec<Scalar>, levels: usize, span: Span },
    /// `a ? b : c ?`
    Value { branches: Branches, condition: Measured },
    /// `a ? b : c ? d :`
    Otherwise { branches: Branches },
}

/// The complete branches of a conditional.
pub(super) struct Branches {
    pub(super) list: Vec<Branch>,
    /// Levels of the deepest part.
    pub(super) levels: usize,
    pub(super) start: Span,
}

impl Pending {
    /// How loosely the operand that is waited for may bind.
    pub(super) fn accepts(&self) -> Binding {
        match self {
            Self::Parenthesis | Self::Value { .. } => Binding::Conditional,
            Self::Otherwise { .. } => Binding::Coalesce,
            Self::Coalesce { .. } => Binding::Between,
            Self::Like { .. } | Self::Low { .. } | Self::High { .. } => Binding::Comparison,
            Self::Binary { operator, .. } => Binding::of_right_operand(operator.level()),
            Self::Unary { .. } => Binding::Unary,
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
