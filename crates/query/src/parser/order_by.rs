//! The clause ORDER BY.
//!
//! Owns items with their directions, and ORDER BY RANK. RANK is also a legal alias, so it starts the second form only
//! if the next token can start an expression.

use super::Parsed;
use super::state::QueryParser;
use crate::ast::{OrderBy, OrderDirection, OrderItem, Scalar, ScalarKind, SortOrder};
use crate::error::text;
use crate::lexer::{Keyword, Symbol, TokenKind};

impl QueryParser<'_> {
    pub(super) fn order_by(&mut self) -> Parsed<Option<OrderBy>> {
        if !self.is_keyword(Keyword::Order) {
            return Ok(None);
        }
        let start = self.advance();
        self.expect_keyword(Keyword::By)?;
        if self.opens_rank() {
            self.advance();
            let scores = self.scores()?;
            return Ok(Some(OrderBy::Rank(scores, start.to(self.last_span()))));
        }
        let mut items = vec![self.order_item()?];
        while self.accept(Symbol::Comma) {
            items.push(self.order_item()?);
        }
        Ok(Some(OrderBy::Items(items, start.to(self.last_span()))))
    }

    fn order_item(&mut self) -> Parsed<OrderItem> {
        let expression = self.operand()?;
        let order = match self.kind() {
            TokenKind::Keyword(Keyword::Asc) => SortOrder::Ascending,
            TokenKind::Keyword(Keyword::Desc) => SortOrder::Descending,
            // Not the default direction: the printed form must not contain what was not written.
            _ => return Ok(OrderItem { expression, direction: None }),
        };
        // Kept, because the service prints the direction as it was written.
        let spelling = self.text().to_owned();
        self.advance();
        Ok(OrderItem { expression, direction: Some(OrderDirection { order, spelling }) })
    }

    fn opens_rank(&self) -> bool {
        self.is_keyword(Keyword::Rank)
            && match self.peek(1) {
                TokenKind::Identifier
                | TokenKind::Parameter
                | TokenKind::Number(_)
                | TokenKind::String(_) => true,
                TokenKind::Keyword(word) => {
                    word.is_also_identifier()
                        || matches!(word, Keyword::Left | Keyword::Right | Keyword::Udf)
                }
                _ => false,
            }
    }

    fn scores(&mut self) -> Parsed<Vec<Scalar>> {
        let mut scores = Vec::new();
        loop {
            // Prepared before the score is read: anything but a function call is reported at its first token.
            let at_start = self.mismatch();
            let score = self.operand()?;
            if !matches!(score.kind, ScalarKind::Call { .. } | ScalarKind::UdfCall { .. }) {
                return Err(at_start);
            }
            if self.is_keyword(Keyword::Asc) || self.is_keyword(Keyword::Desc) {
                return Err(Box::new(text::rank_direction()));
            }
            scores.push(score);
            if !self.accept(Symbol::Comma) {
                return Ok(scores);
            }
        }
    }
}
