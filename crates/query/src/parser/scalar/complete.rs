//! From what waited for its last operand to an expression.
//!
//! Owns the levels of a tree of operators: joining chains adds none, whichever way their parentheses were written.

use super::binding::Binding;
use super::expression::{Bound, Next, Unfinished};
use super::pending::{Branches, Pending};
use super::{Measured, Parsed};
use crate::ast::{BinaryOperator, Branch, Negation, Scalar, ScalarKind};
use crate::lexer::{Keyword, Symbol, TokenKind};
use crate::parser::state::Parser;

impl Parser<'_> {
    /// Ends the innermost thing begun, since no operator can follow its operand.
    pub(super) fn end(
        &mut self,
        unfinished: &mut Unfinished,
        pending: Pending,
        last: Bound,
    ) -> Parsed<Next> {
        match pending {
            Pending::Parenthesis => {
                self.expect(Symbol::CloseParenthesis)?;
                unfinished.parentheses -= 1;
                let value = self.path(last.value)?;
                Ok(Next::Value(Bound { value, binding: Binding::Unary }))
            }
            Pending::Low { negation, value } => {
                self.expect_keyword(Keyword::And)?;
                unfinished.pending.push(Pending::High { negation, value, low: last.value });
                Ok(Next::Operand)
            }
            Pending::Value { mut branches, condition } => {
                self.expect(Symbol::Colon)?;
                branches.add(condition, last.value);
                unfinished.pending.push(Pending::Otherwise { branches });
                Ok(Next::Operand)
            }
            operator => self.complete(operator, last).map(Next::Value),
        }
    }

    /// An operator with its last operand.
    pub(super) fn complete(&mut self, pending: Pending, last: Bound) -> Parsed<Bound> {
        let last = last.value;
        let (value, binding) = match pending {
            // These are no operators yet: only `end` goes on with them.
            Pending::Parenthesis | Pending::Low { .. } | Pending::Value { .. } => {
                return Err(self.mismatch());
            }
            Pending::Unary { operator, start } => {
                let span = start.to(last.scalar.span);
                let scalar = Scalar::unary(operator, *last.scalar, span);
                (Measured::above(last.levels, scalar)?, Binding::Unary)
            }
            Pending::Binary { left, operator } => {
                (left.binary(operator, last)?, operator.level().into())
            }
            Pending::Like { negation, value } => {
                (self.like(negation, value, last)?, Binding::Membership)
            }
            Pending::High { negation, value, low } => {
                (between(negation, value, low, last)?, Binding::Between)
            }
            Pending::Coalesce { mut operands, levels, span } => {
                let joins = matches!(last.scalar.kind, ScalarKind::Coalesce(_));
                let levels = levels.max(last.levels_below(joins));
                let span = span.to(last.scalar.span);
                operands.push(*last.scalar);
                (Measured::above(levels, Scalar::coalesce(operands, span))?, Binding::Coalesce)
            }
            Pending::Otherwise { branches: Branches { list, levels, start } } => {
                let joins = matches!(last.scalar.kind, ScalarKind::Conditional { .. });
                let levels = levels.max(last.levels_below(joins));
                let span = start.to(last.scalar.span);
                let scalar = Scalar::conditional(list, *last.scalar, span);
                (Measured::above(levels, scalar)?, Binding::Conditional)
            }
        };
        Ok(Bound { value, binding })
    }

    fn like(&mut self, negation: Negation, value: Measured, pattern: Measured) -> Parsed<Measured> {
        let escape = self.escape()?;
        let levels = value.levels.max(pattern.levels);
        let span = value.scalar.span.to(self.last_span());
        let kind =
            ScalarKind::Like { negation, value: value.scalar, pattern: pattern.scalar, escape };
        Measured::above(levels, Scalar::new(kind, span))
    }

    /// `ESCAPE 'c'`, of exactly one character.
    fn escape(&mut self) -> Parsed<Option<char>> {
        if !self.take_keyword(Keyword::Escape) {
            return Ok(None);
        }
        if let TokenKind::String(text) = self.kind() {
            let mut characters = text.chars();
            if let (Some(escape), None) = (characters.next(), characters.next()) {
                self.advance();
                return Ok(Some(escape));
            }
        }
        Err(self.mismatch())
    }
}

impl Measured {
    /// `self operator right`.
    fn binary(self, operator: BinaryOperator, right: Self) -> Parsed<Self> {
        let joins = match &self.scalar.kind {
            ScalarKind::Chain { rest, .. } => {
                rest.first().is_some_and(|(known, _)| known.level() == operator.level())
            }
            _ => false,
        };
        let levels = self.levels_below(joins).max(right.levels);
        let scalar = Scalar::binary(*self.scalar, operator, *right.scalar);
        Self::above(levels, scalar)
    }

    /// Levels below an expression that has this one as an operand, or takes over the operands of this one.
    fn levels_below(&self, joins: bool) -> usize {
        if joins { self.levels - 1 } else { self.levels }
    }
}

impl Branches {
    fn add(&mut self, condition: Measured, value: Measured) {
        self.levels = self.levels.max(condition.levels).max(value.levels);
        self.list.push(Branch { condition: *condition.scalar, value: *value.scalar });
    }
}

fn between(negation: Negation, value: Measured, low: Measured, high: Measured) -> Parsed<Measured> {
    let levels = value.levels.max(low.levels).max(high.levels);
    let span = value.scalar.span.to(high.scalar.span);
    let kind =
        ScalarKind::Between { negation, value: value.scalar, low: low.scalar, high: high.scalar };
    Measured::above(levels, Scalar::new(kind, span))
}
