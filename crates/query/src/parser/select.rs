//! The clause SELECT.
//!
//! Owns DISTINCT, TOP, the three forms of a selection and aliases, with or without AS, bare or quoted.

use super::Parsed;
use super::state::QueryParser;
use crate::ast::{Identifier, Select, SelectItem, Selection, Top};
use crate::lexer::{Keyword, Symbol, TokenKind};

impl QueryParser<'_> {
    pub(super) fn select(&mut self) -> Parsed<Select> {
        self.expect_keyword(Keyword::Select)?;
        let distinct = self.accept_keyword(Keyword::Distinct);
        let top = self.top()?;
        let selection = if self.is_symbol(Symbol::Star) {
            Selection::Star(self.advance())
        } else if self.accept_keyword(Keyword::Value) {
            Selection::Value(Box::new(self.operand()?))
        } else {
            Selection::List(self.select_items()?)
        };
        Ok(Select { distinct, top, selection })
    }

    fn top(&mut self) -> Parsed<Option<Top>> {
        if !self.is_keyword(Keyword::Top) {
            return Ok(None);
        }
        let start = self.advance();
        let count = self.top_count()?;
        let span = start.to(count.span);
        Ok(Some(Top { count, span }))
    }

    fn select_items(&mut self) -> Parsed<Vec<SelectItem>> {
        let mut items = Vec::new();
        loop {
            let expression = self.operand()?;
            let alias = self.select_alias()?;
            items.push(SelectItem { expression, alias });
            if !self.accept(Symbol::Comma) {
                return Ok(items);
            }
        }
    }

    fn select_alias(&mut self) -> Parsed<Option<Identifier>> {
        let is_announced = self.accept_keyword(Keyword::As);
        if let TokenKind::String(text) = self.kind() {
            let text = text.clone();
            return Ok(Some(Identifier { text, span: self.advance() }));
        }
        // Without AS a name is optional; after AS it is required.
        if is_announced || self.is_name(0) { self.expect_name().map(Some) } else { Ok(None) }
    }
}
