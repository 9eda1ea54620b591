//! Constructors that keep trees canonical.
//!
//! Owns the flattening of chains: `(a AND b) AND c` and `a AND b AND c` build the same tree. Used by the parser and by
//! everything that rewrites trees.

use super::{
    BinaryOperator, ConditionalBranch, Literal, Member, MemberStep, Scalar, ScalarKind, Span,
    UnaryOperator,
};

impl Scalar {
    /// An expression at a location of the text.
    #[must_use]
    pub fn new(kind: ScalarKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// `left operator right`.
    #[must_use]
    pub fn binary(left: Self, operator: BinaryOperator, right: Self) -> Self {
        let span = left.span.to(right.span);
        // Only the left operand is flattened: operators of one level group to the left, so a chain on the right was
        // written with parentheses and means something else (`a - (b - c)`).
        match left.kind {
            ScalarKind::Chain { first, mut rest }
                if rest
                    .first()
                    .is_some_and(|(known, _)| known.precedence() == operator.precedence()) =>
            {
                rest.push((operator, right));
                Self::new(ScalarKind::Chain { first, rest }, span)
            }
            kind => {
                let first = Box::new(Self::new(kind, left.span));
                Self::new(ScalarKind::Chain { first, rest: vec![(operator, right)] }, span)
            }
        }
    }

    /// `operator operand`; a minus before a number becomes part of the number, so `-1` and the printed `-1` are one
    /// tree.
    #[must_use]
    pub fn unary(operator: UnaryOperator, operand: Self, span: Span) -> Self {
        if let (UnaryOperator::Minus, ScalarKind::Literal(literal)) = (operator, &operand.kind)
            && let Some(negated) = Literal::negated(literal)
        {
            return Self::new(ScalarKind::Literal(negated), span);
        }
        Self::new(ScalarKind::Unary { operator, operand: Box::new(operand) }, span)
    }

    /// `target step`.
    #[must_use]
    pub fn member(target: Self, step: MemberStep, span: Span) -> Self {
        Self::members(target, vec![step], span)
    }

    /// `target step step`.
    #[must_use]
    pub fn members(target: Self, below: Vec<MemberStep>, span: Span) -> Self {
        let member = match target.kind {
            ScalarKind::Member(Member { target, mut steps }) => {
                steps.extend(below);
                Member { target, steps }
            }
            kind => Member { target: Box::new(Self::new(kind, target.span)), steps: below },
        };
        Self::new(ScalarKind::Member(member), span)
    }

    /// `a ?? b ?? c`; a single operand is returned as it is. The operator groups to the right, so the last operand is
    /// flattened.
    #[must_use]
    pub fn coalesce(mut operands: Vec<Self>, span: Span) -> Self {
        match operands.pop() {
            Some(only) if operands.is_empty() => only,
            Some(Self { kind: ScalarKind::Coalesce(inner), .. }) => {
                operands.extend(inner);
                Self::new(ScalarKind::Coalesce(operands), span)
            }
            last => {
                operands.extend(last);
                Self::new(ScalarKind::Coalesce(operands), span)
            }
        }
    }

    /// `a ? b : c`, with any number of branches; without branches, `otherwise` itself. A conditional in the last place
    /// is flattened.
    #[must_use]
    pub fn conditional(mut branches: Vec<ConditionalBranch>, otherwise: Self, span: Span) -> Self {
        if branches.is_empty() {
            return otherwise;
        }
        match otherwise.kind {
            ScalarKind::Conditional { branches: inner, otherwise } => {
                branches.extend(inner);
                Self::new(ScalarKind::Conditional { branches, otherwise }, span)
            }
            kind => {
                let otherwise = Box::new(Self::new(kind, otherwise.span));
                Self::new(ScalarKind::Conditional { branches, otherwise }, span)
            }
        }
    }
}
