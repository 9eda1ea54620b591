//! BETWEEN, OR, AND, IN and LIKE.
//!
//! Owns the rule that BETWEEN stands apart: it is no operand of AND and OR unless in parentheses, while IN and LIKE
//! are. Chains are loops.

use super::{Measured, Parsed};
use crate::ast::{BinaryOperator, Level, Negation, Scalar, ScalarKind};
use crate::lexer::{Keyword, Symbol, TokenKind};
use crate::parser::state::Parser;

impl Parser<'_> {
    /// A BETWEEN, or a chain of OR.
    pub(super) fn condition(&mut self, start: Option<Measured>) -> Parsed<Measured> {
        let value = self.comparison(start)?;
        if self.at_keyword(Keyword::Between) || self.negates(Keyword::Between) {
            return self.between(value);
        }
        let first = self.membership(value)?;
        let mut left = self.conjunction(first)?;
        while self.take_keyword(Keyword::Or) {
            let first = self.logical_operand()?;
            let right = self.conjunction(first)?;
            left = left.binary(BinaryOperator::Or, right)?;
        }
        Ok(left)
    }

    fn conjunction(&mut self, first: Measured) -> Parsed<Measured> {
        let mut left = first;
        while self.take_keyword(Keyword::And) {
            let right = self.logical_operand()?;
            left = left.binary(BinaryOperator::And, right)?;
        }
        Ok(left)
    }

    fn logical_operand(&mut self) -> Parsed<Measured> {
        let value = self.comparison(None)?;
        self.membership(value)
    }

    fn comparison(&mut self, start: Option<Measured>) -> Parsed<Measured> {
        self.binary(start, Level::Comparison)
    }

    /// Whether NOT and a word follow.
    fn negates(&self, keyword: Keyword) -> bool {
        self.at_keyword(Keyword::Not) && *self.ahead(1) == TokenKind::Keyword(keyword)
    }

    fn negation(&mut self) -> Negation {
        if self.take_keyword(Keyword::Not) { Negation::Negated } else { Negation::Plain }
    }

    fn between(&mut self, value: Measured) -> Parsed<Measured> {
        let negation = self.negation();
        self.advance();
        let low = self.comparison(None)?;
        self.expect_keyword(Keyword::And)?;
        let high = self.comparison(None)?;
        let levels = value.levels.max(low.levels).max(high.levels);
        let span = value.scalar.span.to(high.scalar.span);
        let kind = ScalarKind::Between {
            negation,
            value: value.scalar,
            low: low.scalar,
            high: high.scalar,
        };
        Measured::above(levels, Scalar::new(kind, span))
    }

    /// IN or LIKE after a value, or the value itself.
    fn membership(&mut self, value: Measured) -> Parsed<Measured> {
        if self.at_keyword(Keyword::In) || self.negates(Keyword::In) {
            self.in_list(value)
        } else if self.at_keyword(Keyword::Like) || self.negates(Keyword::Like) {
            self.like(value)
        } else {
            Ok(value)
        }
    }

    fn in_list(&mut self, value: Measured) -> Parsed<Measured> {
        let negation = self.negation();
        self.advance();
        self.expect(Symbol::OpenParenthesis)?;
        let (list, levels) = self.scalars()?;
        let span = value.scalar.span.to(self.expect(Symbol::CloseParenthesis)?);
        let levels = levels.max(value.levels);
        let kind = ScalarKind::In { negation, value: value.scalar, list };
        Measured::above(levels, Scalar::new(kind, span))
    }

    fn like(&mut self, value: Measured) -> Parsed<Measured> {
        let negation = self.negation();
        self.advance();
        let pattern = self.comparison(None)?;
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
