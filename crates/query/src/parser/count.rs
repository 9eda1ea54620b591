//! Numbers of rows: TOP, OFFSET and LIMIT.
//!
//! Owns their grammar: TOP accepts any number, the others whole numbers; all accept a parameter, none a sign. Does not
//! own their range: see `bind`.

use super::Parsed;
use super::state::QueryParser;
use crate::ast::{Count, CountKind, OffsetLimit};
use crate::lexer::{Keyword, NumberForm, TokenKind};

impl QueryParser<'_> {
    pub(super) fn offset_limit(&mut self) -> Parsed<Option<OffsetLimit>> {
        if !self.is_keyword(Keyword::Offset) {
            return Ok(None);
        }
        let start = self.advance();
        let offset = self.whole_count()?;
        self.expect_keyword(Keyword::Limit)?;
        let limit = self.whole_count()?;
        let span = start.to(limit.span);
        Ok(Some(OffsetLimit { offset, limit, span }))
    }

    pub(super) fn top_count(&mut self) -> Parsed<Count> {
        let kind = match self.kind() {
            TokenKind::Number(number) => CountKind::Number(number.value.clone()),
            TokenKind::Parameter => CountKind::Parameter(self.text().to_owned()),
            _ => return Err(self.mismatch()),
        };
        Ok(Count { kind, span: self.advance() })
    }

    fn whole_count(&mut self) -> Parsed<Count> {
        match self.kind() {
            // `OFFSET 1.0` is a syntax error even though its value is whole.
            TokenKind::Number(number) if number.form == NumberForm::Decimal => Err(self.mismatch()),
            _ => self.top_count(),
        }
    }
}
