//! Primary expressions.
//!
//! Owns constants, parameters, aliases, subqueries and calls; other parentheses were consumed before. ALL, FIRST, LAST,
//! NaN and Infinity are ordinary names with a special meaning only here; LEFT and RIGHT are reserved words that also
//! name functions.

use super::{MeasuredScalar, Parsed};
use crate::ast::{Identifier, Literal, Scalar, ScalarKind, Span, SubqueryKind};
use crate::lexer::{Keyword, Symbol, TokenKind};
use crate::parser::state::QueryParser;

impl QueryParser<'_> {
    pub(super) fn primary(&mut self) -> Parsed<MeasuredScalar> {
        let literal = match self.kind() {
            TokenKind::Symbol(symbol) => return self.enclosed(*symbol),
            TokenKind::Identifier => return self.named(),
            TokenKind::Keyword(word) => match *word {
                Keyword::True => Literal::Bool(true),
                Keyword::False => Literal::Bool(false),
                Keyword::Null => Literal::Null,
                Keyword::Undefined => Literal::Undefined,
                word => return self.reserved(word),
            },
            TokenKind::Number(number) => number.value.clone(),
            TokenKind::String(text) => Literal::String(text.clone()),
            TokenKind::Parameter => {
                let kind = ScalarKind::Parameter(self.text().to_owned());
                return Ok(MeasuredScalar::leaf(kind, self.advance()));
            }
            TokenKind::End | TokenKind::Invalid | TokenKind::InvalidString => {
                return Err(self.mismatch());
            }
        };
        Ok(MeasuredScalar::leaf(ScalarKind::Literal(literal), self.advance()))
    }

    fn enclosed(&mut self, symbol: Symbol) -> Parsed<MeasuredScalar> {
        match symbol {
            Symbol::OpenBracket => self.array(),
            Symbol::OpenBrace => self.object(),
            Symbol::OpenParenthesis if *self.peek(1) == TokenKind::Keyword(Keyword::Select) => {
                let start = self.span();
                self.subquery(SubqueryKind::Scalar, start)
            }
            _ => Err(self.mismatch()),
        }
    }

    /// Reads an expression that starts with a reserved word.
    fn reserved(&mut self, word: Keyword) -> Parsed<MeasuredScalar> {
        // LEFT and RIGHT are function names only before a parenthesis; otherwise they are reserved words.
        let calls = *self.peek(1) == TokenKind::Symbol(Symbol::OpenParenthesis);
        match word {
            Keyword::Exists => {
                let start = self.advance();
                self.subquery(SubqueryKind::Exists, start)
            }
            Keyword::Array => {
                let start = self.advance();
                self.subquery(SubqueryKind::Array, start)
            }
            Keyword::Left | Keyword::Right if calls => self.call(),
            Keyword::Udf => self.udf_call(),
            // LET and RANK.
            word if word.is_also_identifier() => self.named(),
            _ => Err(self.mismatch()),
        }
    }

    /// Reads an expression that starts with a name: a call, a subquery with a contextual word, a constant, or an alias.
    fn named(&mut self) -> Parsed<MeasuredScalar> {
        let name = self.text();
        if *self.peek(1) == TokenKind::Symbol(Symbol::OpenParenthesis) {
            // `ALL(`, `FIRST(` and `LAST(` are subqueries only if SELECT follows; otherwise they are calls.
            let kind = contextual_subquery(name)
                .filter(|_| *self.peek(2) == TokenKind::Keyword(Keyword::Select));
            return match kind {
                Some(kind) => {
                    let start = self.advance();
                    self.subquery(kind, start)
                }
                None => self.call(),
            };
        }
        let kind = match name {
            // Unlike keywords, these two are case-sensitive.
            "NaN" => ScalarKind::Literal(Literal::Double(f64::NAN)),
            "Infinity" => ScalarKind::Literal(Literal::Double(f64::INFINITY)),
            _ => ScalarKind::Identifier(name.to_owned()),
        };
        Ok(MeasuredScalar::leaf(kind, self.advance()))
    }

    fn subquery(&mut self, kind: SubqueryKind, start: Span) -> Parsed<MeasuredScalar> {
        self.expect(Symbol::OpenParenthesis)?;
        let inner = self.query()?;
        let span = start.to(self.expect(Symbol::CloseParenthesis)?);
        let kind = ScalarKind::Subquery { kind, query: inner.query };
        MeasuredScalar::above(inner.levels, Scalar::new(kind, span))
    }

    fn call(&mut self) -> Parsed<MeasuredScalar> {
        let text = self.text().to_owned();
        let function = Identifier { text, span: self.advance() };
        let start = function.span;
        let (arguments, levels) = self.arguments()?;
        let kind = ScalarKind::Call { function, arguments };
        MeasuredScalar::above(levels, Scalar::new(kind, start.to(self.last_span())))
    }

    fn udf_call(&mut self) -> Parsed<MeasuredScalar> {
        let start = self.advance();
        self.expect(Symbol::Dot)?;
        let function = self.expect_name()?;
        let (arguments, levels) = self.arguments()?;
        let kind = ScalarKind::UdfCall { function, arguments };
        MeasuredScalar::above(levels, Scalar::new(kind, start.to(self.last_span())))
    }

    fn arguments(&mut self) -> Parsed<(Vec<Scalar>, usize)> {
        self.expect(Symbol::OpenParenthesis)?;
        if self.accept(Symbol::CloseParenthesis) {
            return Ok((Vec::new(), 0));
        }
        let arguments = self.scalars()?;
        self.expect(Symbol::CloseParenthesis)?;
        Ok(arguments)
    }
}

fn contextual_subquery(name: &str) -> Option<SubqueryKind> {
    [("ALL", SubqueryKind::All), ("FIRST", SubqueryKind::First), ("LAST", SubqueryKind::Last)]
        .into_iter()
        .find(|(word, _)| word.eq_ignore_ascii_case(name))
        .map(|(_, kind)| kind)
}
