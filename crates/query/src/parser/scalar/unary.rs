//! Prefix operators and paths.
//!
//! Owns the tightest operators: NOT, signs and `~` before an operand, `.name` and `[index]` after it. NOT binds like a
//! sign: `NOT a = b` is `(NOT a) = b`.

use super::{Measured, Parsed};
use crate::ast::{Scalar, Step, UnaryOperator};
use crate::lexer::{Keyword, Symbol, TokenKind};
use crate::parser::state::Parser;

impl Parser<'_> {
    pub(super) fn unary(&mut self, start: Option<Measured>) -> Parsed<Measured> {
        if start.is_some() {
            return self.path(start);
        }
        let operator = match self.kind() {
            TokenKind::Keyword(Keyword::Not) => UnaryOperator::Not,
            TokenKind::Symbol(Symbol::Minus) => UnaryOperator::Minus,
            TokenKind::Symbol(Symbol::Plus) => UnaryOperator::Plus,
            TokenKind::Symbol(Symbol::Tilde) => UnaryOperator::BitwiseNot,
            _ => return self.path(None),
        };
        let start = self.advance();
        let operand = self.nested(|parser| parser.unary(None))?;
        let span = start.to(operand.scalar.span);
        Measured::above(operand.levels, Scalar::unary(operator, *operand.scalar, span))
    }

    /// A primary expression and the steps down from it.
    fn path(&mut self, start: Option<Measured>) -> Parsed<Measured> {
        let value = match start {
            Some(value) => value,
            None => self.primary()?,
        };
        let mut steps = Vec::new();
        // All steps together add one level.
        let mut levels = value.levels;
        loop {
            if self.take(Symbol::Dot) {
                steps.push(Step::Property(self.expect_name()?));
            } else if self.take(Symbol::OpenBracket) {
                let index = self.scalar()?;
                self.expect(Symbol::CloseBracket)?;
                levels = levels.max(index.levels);
                steps.push(Step::Index(*index.scalar));
            } else {
                break;
            }
        }
        if steps.is_empty() {
            return Ok(value);
        }
        let span = value.scalar.span.to(self.last_span());
        Measured::above(levels, Scalar::members(*value.scalar, steps, span))
    }
}
