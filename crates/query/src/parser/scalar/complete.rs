//! Completing an operator.
//!
//! Owns building the expression once the last operand is read, and the levels of a tree of operators: flattening chains
//! adds no level, however their parentheses were written.

use super::binding_power::BindingPower;
use super::expression::{NextAction, Operand, PendingStack};
use super::pending::{Branches, Pending};
use super::{MeasuredScalar, Parsed};
use crate::ast::{BinaryOperator, ConditionalBranch, Negation, Scalar, ScalarKind};
use crate::lexer::{Keyword, Symbol, TokenKind};
use crate::parser::state::QueryParser;

impl QueryParser<'_> {
    /// Goes on with the innermost waiting entry after its operand, when no operator follows that could take the
    /// operand.
    pub(super) fn end(
        &mut self,
        unfinished: &mut PendingStack,
        pending: Pending,
        last: Operand,
    ) -> Parsed<NextAction> {
        match pending {
            Pending::Parenthesis => {
                self.expect(Symbol::CloseParenthesis)?;
                // Counted by `operand_value`; the limit is on those open at the same time.
                unfinished.parentheses -= 1;
                // A path may follow a parenthesis: `(c.a ?? c.b).d`.
                let value = self.path(last.value)?;
                Ok(NextAction::ReadOperator(Operand { value, binding: BindingPower::Unary }))
            }
            Pending::Low { negation, value } => {
                self.expect_keyword(Keyword::And)?;
                unfinished.pending.push(Pending::High { negation, value, low: last.value });
                Ok(NextAction::ReadOperand)
            }
            Pending::Value { mut branches, condition } => {
                self.expect(Symbol::Colon)?;
                branches.add(condition, last.value);
                unfinished.pending.push(Pending::Otherwise { branches });
                Ok(NextAction::ReadOperand)
            }
            operator => self.complete(operator, last).map(NextAction::ReadOperator),
        }
    }

    /// Builds the expression of an operator with its last operand.
    pub(super) fn complete(&mut self, pending: Pending, last: Operand) -> Parsed<Operand> {
        let last = last.value;
        let (value, binding) = match pending {
            // These are not complete yet: only `end` goes on with them.
            Pending::Parenthesis | Pending::Low { .. } | Pending::Value { .. } => {
                return Err(self.mismatch());
            }
            Pending::Unary { operator, start } => {
                let span = start.to(last.scalar.span);
                let scalar = Scalar::unary(operator, *last.scalar, span);
                (MeasuredScalar::above(last.levels, scalar)?, BindingPower::Unary)
            }
            Pending::Binary { left, operator } => {
                (left.binary(operator, last)?, operator.precedence().into())
            }
            Pending::Like { negation, value } => {
                (self.like(negation, value, last)?, BindingPower::Membership)
            }
            Pending::High { negation, value, low } => {
                (between(negation, value, low, last)?, BindingPower::Between)
            }
            Pending::Coalesce { mut operands, levels, span } => {
                // `a ?? (b ?? c)` becomes one list, so the inner level disappears.
                let joins = matches!(last.scalar.kind, ScalarKind::Coalesce(_));
                let levels = levels.max(last.levels_below(joins));
                let span = span.to(last.scalar.span);
                operands.push(*last.scalar);
                (
                    MeasuredScalar::above(levels, Scalar::coalesce(operands, span))?,
                    BindingPower::Coalesce,
                )
            }
            Pending::Otherwise { branches: Branches { list, levels, start } } => {
                let joins = matches!(last.scalar.kind, ScalarKind::Conditional { .. });
                let levels = levels.max(last.levels_below(joins));
                let span = start.to(last.scalar.span);
                let scalar = Scalar::conditional(list, *last.scalar, span);
                (MeasuredScalar::above(levels, scalar)?, BindingPower::Conditional)
            }
        };
        Ok(Operand { value, binding })
    }

    fn like(
        &mut self,
        negation: Negation,
        value: MeasuredScalar,
        pattern: MeasuredScalar,
    ) -> Parsed<MeasuredScalar> {
        let escape = self.escape()?;
        let levels = value.levels.max(pattern.levels);
        let span = value.scalar.span.to(self.last_span());
        let kind =
            ScalarKind::Like { negation, value: value.scalar, pattern: pattern.scalar, escape };
        MeasuredScalar::above(levels, Scalar::new(kind, span))
    }

    /// `ESCAPE 'c'`, of exactly one character.
    fn escape(&mut self) -> Parsed<Option<char>> {
        if !self.accept_keyword(Keyword::Escape) {
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

impl MeasuredScalar {
    /// `self operator right`.
    fn binary(self, operator: BinaryOperator, right: Self) -> Parsed<Self> {
        let joins = match &self.scalar.kind {
            ScalarKind::Chain { rest, .. } => {
                rest.first().is_some_and(|(known, _)| known.precedence() == operator.precedence())
            }
            _ => false,
        };
        let levels = self.levels_below(joins).max(right.levels);
        let scalar = Scalar::binary(*self.scalar, operator, *right.scalar);
        Self::above(levels, scalar)
    }

    /// The levels below an expression that has this one as an operand, or that takes over its operands (`joins`).
    fn levels_below(&self, joins: bool) -> usize {
        // Does not underflow: what joins is a chain and has at least one level.
        if joins { self.levels - 1 } else { self.levels }
    }
}

impl Branches {
    fn add(&mut self, condition: MeasuredScalar, value: MeasuredScalar) {
        self.levels = self.levels.max(condition.levels).max(value.levels);
        self.list.push(ConditionalBranch { condition: *condition.scalar, value: *value.scalar });
    }
}

fn between(
    negation: Negation,
    value: MeasuredScalar,
    low: MeasuredScalar,
    high: MeasuredScalar,
) -> Parsed<MeasuredScalar> {
    let levels = value.levels.max(low.levels).max(high.levels);
    let span = value.scalar.span.to(high.scalar.span);
    let kind =
        ScalarKind::Between { negation, value: value.scalar, low: low.scalar, high: high.scalar };
    MeasuredScalar::above(levels, Scalar::new(kind, span))
}
