//! Arrays, objects and lists of expressions.
//!
//! Owns what is between brackets, braces and commas. The name of a member is a string or a bare name that is not
//! reserved.

use super::{MeasuredScalar, Parsed};
use crate::ast::{Identifier, ObjectMember, Scalar, ScalarKind};
use crate::lexer::{Symbol, TokenKind};
use crate::parser::state::QueryParser;

impl QueryParser<'_> {
    /// Reads expressions separated by commas; also returns the levels of the deepest one.
    pub(super) fn scalars(&mut self) -> Parsed<(Vec<Scalar>, usize)> {
        let mut scalars = Vec::new();
        let mut levels = 0;
        loop {
            let element = self.scalar()?;
            levels = levels.max(element.levels);
            scalars.push(*element.scalar);
            if !self.accept(Symbol::Comma) {
                return Ok((scalars, levels));
            }
        }
    }

    pub(super) fn array(&mut self) -> Parsed<MeasuredScalar> {
        let start = self.advance();
        let (elements, levels) =
            if self.is_symbol(Symbol::CloseBracket) { (Vec::new(), 0) } else { self.scalars()? };
        let span = start.to(self.expect(Symbol::CloseBracket)?);
        MeasuredScalar::above(levels, Scalar::new(ScalarKind::Array(elements), span))
    }

    pub(super) fn object(&mut self) -> Parsed<MeasuredScalar> {
        let start = self.advance();
        let mut members = Vec::new();
        let mut levels = 0;
        if !self.is_symbol(Symbol::CloseBrace) {
            loop {
                let name = self.member_name()?;
                self.expect(Symbol::Colon)?;
                let value = self.scalar()?;
                levels = levels.max(value.levels);
                members.push(ObjectMember { name, value: *value.scalar });
                if !self.accept(Symbol::Comma) {
                    break;
                }
            }
        }
        let span = start.to(self.expect(Symbol::CloseBrace)?);
        MeasuredScalar::above(levels, Scalar::new(ScalarKind::Object(members), span))
    }

    fn member_name(&mut self) -> Parsed<Identifier> {
        match self.kind() {
            TokenKind::String(text) => {
                let text = text.clone();
                Ok(Identifier { text, span: self.advance() })
            }
            _ => self.expect_name(),
        }
    }
}
