//! The position in the tokens.
//!
//! Owns looking at, taking and demanding tokens, the nesting limit and the wording of a mismatch. Does not own any
//! rule of the grammar.

use super::Parsed;
use crate::ast::{Name, Query, Span};
use crate::error::{Location, QueryError, text};
use crate::lexer::{Keyword, Symbol, Token, TokenKind, Tokenizer};

/// How deep the parser may call itself: beyond it lies the end of the stack. Counted are lists and subqueries inside
/// each other, which a text has in common with what is printed of it; operators and parentheses are not.
pub(super) const NESTING_LEVELS_MAX: usize = 128;

/// JOINs of a query, subqueries included.
const JOINS_MAX: usize = 10;

/// Tokens that are looked at at once.
const LOOKAHEAD: usize = 3;

/// A text and how far it is read.
pub(super) struct QueryParser<'text> {
    tokenizer: Tokenizer<'text>,
    /// The token at hand and those after it, round and round.
    window: [Option<Token<'text>>; LOOKAHEAD],
    /// Where in the window the token at hand is.
    first: usize,
    /// The place of the token taken last.
    last_span: Span,
    nesting: usize,
    /// JOINs seen so far.
    pub(super) joins: usize,
    /// Levels of the deepest expression of the query being read.
    pub(super) deepest: usize,
}

impl<'text> QueryParser<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        let mut tokenizer = Tokenizer::new(text);
        let window = [Some(tokenizer.next_token()), None, None];
        let last_span = Span::default();
        let mut parser =
            Self { tokenizer, window, first: 0, last_span, nesting: 0, joins: 0, deepest: 0 };
        parser.fill(1);
        parser.fill(2);
        parser
    }

    /// Puts the next token in a place of the window; nothing when the last one is read.
    fn fill(&mut self, place: usize) {
        let before = self.window.get((place + LOOKAHEAD - 1) % LOOKAHEAD).and_then(Option::as_ref);
        let follows = before.is_some_and(|token| !token.is_final());
        let next = follows.then(|| self.tokenizer.next_token());
        if let Some(slot) = self.window.get_mut(place) {
            *slot = next;
        }
    }

    fn token(&self, distance: usize) -> Option<&Token<'text>> {
        self.window.get((self.first + distance) % LOOKAHEAD).and_then(Option::as_ref)
    }

    /// The kind of the token a number of tokens ahead, two at most; the end of the text goes on forever.
    pub(super) fn peek(&self, distance: usize) -> &TokenKind {
        debug_assert!(distance < LOOKAHEAD, "the window shows no more than {LOOKAHEAD} tokens");
        self.token(distance).map_or(&TokenKind::End, |token| &token.kind)
    }

    pub(super) fn kind(&self) -> &TokenKind {
        self.peek(0)
    }

    pub(super) fn is_symbol(&self, symbol: Symbol) -> bool {
        *self.kind() == TokenKind::Symbol(symbol)
    }

    pub(super) fn is_keyword(&self, keyword: Keyword) -> bool {
        *self.kind() == TokenKind::Keyword(keyword)
    }

    /// Whether a name stands a number of tokens ahead.
    pub(super) fn is_name(&self, distance: usize) -> bool {
        match self.peek(distance) {
            TokenKind::Identifier => true,
            TokenKind::Keyword(word) => word.is_also_identifier(),
            _ => false,
        }
    }

    /// The text of the token at hand.
    pub(super) fn text(&self) -> &'text str {
        self.token(0).map_or("", |token| token.text)
    }

    /// The place of the token at hand.
    pub(super) fn span(&self) -> Span {
        self.location().into()
    }

    /// The place of the token taken last.
    pub(super) fn last_span(&self) -> Span {
        self.last_span
    }

    fn location(&self) -> Location {
        self.token(0).map(|token| token.location).unwrap_or_default()
    }

    /// Goes on by one token and gives the place of the one passed. The last token is never passed.
    pub(super) fn advance(&mut self) -> Span {
        let span = self.span();
        if self.token(0).is_some_and(|token| !token.is_final()) {
            let passed = self.first;
            self.first = (passed + 1) % LOOKAHEAD;
            self.fill(passed);
            self.last_span = span;
        }
        span
    }

    pub(super) fn accept(&mut self, symbol: Symbol) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn accept_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.is_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, symbol: Symbol) -> Parsed<Span> {
        if self.is_symbol(symbol) { Ok(self.advance()) } else { Err(self.mismatch()) }
    }

    pub(super) fn expect_keyword(&mut self, keyword: Keyword) -> Parsed<Span> {
        if self.is_keyword(keyword) { Ok(self.advance()) } else { Err(self.mismatch()) }
    }

    pub(super) fn expect_name(&mut self) -> Parsed<Name> {
        if !self.is_name(0) {
            return Err(self.mismatch());
        }
        let text = self.text().to_owned();
        Ok(Name { text, span: self.advance() })
    }

    pub(super) fn expect_end(&self) -> Parsed<()> {
        if *self.kind() == TokenKind::End { Ok(()) } else { Err(self.mismatch()) }
    }

    /// What is wrong with the token at hand, when it cannot stand here.
    pub(super) fn mismatch(&self) -> Box<QueryError> {
        let (location, token) = (self.location(), self.text());
        Box::new(match self.kind() {
            TokenKind::End => text::unexpected_end(location),
            TokenKind::Invalid => text::invalid_token(location, token),
            TokenKind::InvalidString => text::invalid_string(location, token),
            _ => text::syntax(location, token),
        })
    }

    /// Reads something one level deeper.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting == NESTING_LEVELS_MAX {
            return Err(Box::new(text::too_deep(NESTING_LEVELS_MAX)));
        }
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        result
    }

    /// Refuses a query that joins too often.
    pub(super) fn check_joins(&self, query: &Query) -> Parsed<()> {
        if self.joins > JOINS_MAX {
            return Err(Box::new(text::too_many_joins(query.span.0, JOINS_MAX)));
        }
        Ok(())
    }
}
