//! The clause FROM.
//!
//! Owns inputs, their paths and JOIN. There is no ON, and no LEFT, RIGHT, INNER, OUTER or CROSS JOIN.

use super::Parsed;
use super::state::QueryParser;
use crate::ast::{
    FromClause, Identifier, Literal, Source, SourceForm, SourcePath, SourceRoot, SourceStep,
};
use crate::lexer::{Keyword, NumberForm, NumberToken, Symbol, TokenKind};

impl QueryParser<'_> {
    pub(super) fn from(&mut self) -> Parsed<FromClause> {
        let first = self.source()?;
        let mut joins = Vec::new();
        while self.accept_keyword(Keyword::Join) {
            // Of the parser and not of this clause: the limit is for the whole text, subqueries included.
            joins.push(self.source()?);
        }
        // The limit holds for each FROM clause, not for all of them together.
        self.joins = self.joins.max(joins.len());
        Ok(FromClause { first, joins })
    }

    fn source(&mut self) -> Parsed<Source> {
        let start = self.span();
        // `x IN path` and `path alias` both start with a name: only the second token distinguishes them.
        if self.is_name(0) && *self.peek(1) == TokenKind::Keyword(Keyword::In) {
            let variable = self.expect_name()?;
            self.advance();
            let path = self.source_path()?;
            let form = SourceForm::Iterate(variable);
            return Ok(Source { form, path, span: start.to(self.last_span()) });
        }
        let path = self.source_path()?;
        let form = SourceForm::Value(self.source_alias()?);
        Ok(Source { form, path, span: start.to(self.last_span()) })
    }

    fn source_alias(&mut self) -> Parsed<Option<Identifier>> {
        if self.accept_keyword(Keyword::As) || self.is_name(0) {
            self.expect_name().map(Some)
        } else {
            Ok(None)
        }
    }

    fn source_path(&mut self) -> Parsed<SourcePath> {
        let start = self.span();
        let root = if self.accept(Symbol::OpenParenthesis) {
            let inner = self.query()?;
            self.expect(Symbol::CloseParenthesis)?;
            // A subquery in FROM is one level deeper than the query around it, as in an expression.
            self.deepest = self.deepest.max(inner.levels + 1);
            SourceRoot::Subquery(inner.query)
        } else {
            SourceRoot::Name(self.expect_name()?)
        };
        let mut steps = Vec::new();
        loop {
            if self.accept(Symbol::Dot) {
                steps.push(SourceStep::Property(self.expect_name()?));
            } else if self.accept(Symbol::OpenBracket) {
                steps.push(self.bracketed_step()?);
                self.expect(Symbol::CloseBracket)?;
            } else {
                return Ok(SourcePath { root, steps, span: start.to(self.last_span()) });
            }
        }
    }

    /// `0` or `"name"`, between brackets.
    fn bracketed_step(&mut self) -> Parsed<SourceStep> {
        let step = match self.kind() {
            TokenKind::String(text) => {
                SourceStep::Quoted(Identifier { text: text.clone(), span: self.span() })
            }
            TokenKind::Number(NumberToken {
                value: Literal::Integer(index),
                form: NumberForm::Integer,
            }) => SourceStep::Index(*index),
            _ => return Err(self.mismatch()),
        };
        self.advance();
        Ok(step)
    }
}
