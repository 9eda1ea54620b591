//! The main loop over an expression.
//!
//! Owns the loop over operands and operators, and the limits on parentheses and on the levels of a tree.

use super::binding_power::BindingPower;
use super::infix::Infix;
use super::pending::Pending;
use crate::ast::{PARENTHESES_MAX, Scalar, ScalarKind, Span, TREE_LEVELS_MAX, UnaryOperator};
use crate::error::text;
use crate::lexer::{Keyword, Symbol, TokenKind};
use crate::parser::Parsed;
use crate::parser::state::QueryParser;

/// An expression and the number of levels of its tree. Boxed, so that a level of recursion needs little stack.
pub(in crate::parser) struct MeasuredScalar {
    pub(in crate::parser) scalar: Box<Scalar>,
    pub(in crate::parser) levels: usize,
}

impl MeasuredScalar {
    /// An expression without children.
    pub(super) fn leaf(kind: ScalarKind, span: Span) -> Self {
        Self { scalar: Box::new(Scalar::new(kind, span)), levels: 1 }
    }

    /// An expression one level above the deepest of its children; rejected if that is too deep.
    pub(super) fn above(levels: usize, scalar: Scalar) -> Parsed<Self> {
        if levels >= TREE_LEVELS_MAX {
            return Err(Box::new(text::too_deep(TREE_LEVELS_MAX)));
        }
        Ok(Self { scalar: Box::new(scalar), levels: levels + 1 })
    }
}

/// An expression and how tightly it binds.
pub(super) struct Operand {
    pub(super) value: MeasuredScalar,
    pub(super) binding: BindingPower,
}

/// Operators and parentheses that wait for an operand, innermost last.
#[derive(Default)]
pub(super) struct PendingStack {
    pub(super) pending: Vec<Pending>,
    /// How many of them are parentheses.
    pub(super) parentheses: usize,
}

/// What the parser does next.
pub(super) enum NextAction {
    /// Read an operand.
    ReadOperand,
    /// An operand was read: look at the operator after it.
    ReadOperator(Operand),
    /// The expression is complete.
    Finish(MeasuredScalar),
}

impl QueryParser<'_> {
    /// Reads an expression.
    pub(in crate::parser) fn scalar(&mut self) -> Parsed<MeasuredScalar> {
        self.nested(Self::expression)
    }

    fn expression(&mut self) -> Parsed<MeasuredScalar> {
        let mut unfinished = PendingStack::default();
        let mut next = NextAction::ReadOperand;
        loop {
            next = match next {
                NextAction::ReadOperand => {
                    self.operand_value(&mut unfinished).map(NextAction::ReadOperator)?
                }
                NextAction::ReadOperator(value) => self.follow(&mut unfinished, value)?,
                NextAction::Finish(value) => return Ok(value),
            };
        }
    }

    /// Reads a path or constant, after the prefix operators and parentheses before it.
    fn operand_value(&mut self, unfinished: &mut PendingStack) -> Parsed<Operand> {
        while let Some(pending) = self.prefix() {
            if matches!(pending, Pending::Parenthesis) {
                unfinished.parentheses += 1;
                if unfinished.parentheses > PARENTHESES_MAX {
                    return Err(Box::new(text::too_deep(PARENTHESES_MAX)));
                }
            }
            unfinished.pending.push(pending);
        }
        let value = self.primary()?;
        Ok(Operand { value: self.path(value)?, binding: BindingPower::Unary })
    }

    /// Consumes a prefix operator or an opening parenthesis. NOT binds as tightly as a sign: `NOT a = b` is `(NOT a) =
    /// b`.
    fn prefix(&mut self) -> Option<Pending> {
        let operator = match self.kind() {
            TokenKind::Keyword(Keyword::Not) => UnaryOperator::Not,
            TokenKind::Symbol(Symbol::Minus) => UnaryOperator::Minus,
            TokenKind::Symbol(Symbol::Plus) => UnaryOperator::Plus,
            TokenKind::Symbol(Symbol::Tilde) => UnaryOperator::BitwiseNot,
            TokenKind::Symbol(Symbol::OpenParenthesis)
                // `(SELECT` is a subquery, which `primary` reads.
                if *self.peek(1) != TokenKind::Keyword(Keyword::Select) =>
            {
                self.advance();
                return Some(Pending::Parenthesis);
            }
            _ => return None,
        };
        Some(Pending::Unary { operator, start: self.advance() })
    }

    /// Looks at what follows an operand: an operator that takes it as its first operand, or the end of what waits for
    /// it.
    fn follow(&mut self, unfinished: &mut PendingStack, value: Operand) -> Parsed<NextAction> {
        let mut value = value;
        if let Some(infix) = self.infix() {
            // `1 + 2 * 3`: `*` binds tighter than what `+` accepts, so `+` keeps waiting. `1 * 2 + 3`: `1 * 2` is
            // completed first and becomes the left operand of `+`.
            while let Some(pending) = unfinished.pending.pop_if(|last| completes(last, infix)) {
                value = self.complete(pending, value)?;
            }
            // An operator that nothing waiting accepts, such as a second IN, is left unread: whatever reads the next
            // token reports it as a syntax error.
            let fits =
                |last: &Pending| last.accepts() <= infix.binding() || last.goes_on_with(infix);
            if value.binding >= infix.left() && unfinished.pending.last().is_none_or(fits) {
                return self.begin(unfinished, infix, value.value);
            }
        }
        match unfinished.pending.pop() {
            Some(pending) => self.end(unfinished, pending, value),
            None => Ok(NextAction::Finish(value.value)),
        }
    }
}

/// Whether an operator takes the completed expression of a waiting entry as its first operand.
fn completes(pending: &Pending, infix: Infix) -> bool {
    // After `value BETWEEN low` comes AND, which belongs to BETWEEN: the entry must not be completed here.
    let is_operator = !matches!(pending, Pending::Low { .. });
    is_operator && pending.accepts() > infix.binding() && !pending.goes_on_with(infix)
}
