//! The token stream of the parser.
//!
//! Owns peeking at, accepting and expecting tokens, the nesting limit and the wording of syntax errors. Does not own
//! any rule of the grammar.

use super::Parsed;
use crate::ast::{Identifier, QueryTree, Span};
use crate::error::{QueryError, TextLocation, text};
use crate::lexer::{Keyword, LexerToken, Symbol, TokenKind, Tokenizer};

/// How deep the parser may recurse before its stack is at risk. Only lists and subqueries inside each other count. A
/// text and its printed form nest these equally, whereas the printed form has more parentheses; so operators and
/// parentheses do not count.
const NESTING_LEVELS_MAX: usize = 128;

/// The largest number of JOINs of a query, including those of its subqueries.
const JOINS_MAX: usize = 10;

/// How many tokens are visible at once, the current one included.
const LOOKAHEAD: usize = 3;

/// A parser in the middle of a text.
pub(super) struct QueryParser<'text> {
    tokenizer: Tokenizer<'text>,
    /// The current token and those after it, as a ring buffer.
    window: [Option<LexerToken<'text>>; LOOKAHEAD],
    /// The index of the current token in the ring buffer.
    first: usize,
    /// The location of the last token consumed.
    last_span: Span,
    nesting: usize,
    /// The number of JOINs read so far.
    pub(super) joins: usize,
    /// The number of levels of the deepest expression of the query being read.
    pub(super) deepest: usize,
}

impl<'text> QueryParser<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        let mut tokenizer = Tokenizer::new(text);
        let window = [Some(tokenizer.next_token()), None, None];
        let last_span = Span::default();
        let mut parser =
            Self { tokenizer, window, first: 0, last_span, nesting: 0, joins: 0, deepest: 0 };
        // In order: each slot looks at the one before it.
        parser.fill(1);
        parser.fill(2);
        parser
    }

    /// Reads the next token into a slot of the ring buffer; leaves the slot empty after the final token.
    fn fill(&mut self, index: usize) {
        // The slot before this one holds the previous token. Nothing follows a final token.
        let before = self.window.get((index + LOOKAHEAD - 1) % LOOKAHEAD).and_then(Option::as_ref);
        let follows = before.is_some_and(|token| !token.is_final());
        let next = follows.then(|| self.tokenizer.next_token());
        if let Some(slot) = self.window.get_mut(index) {
            *slot = next;
        }
    }

    fn token(&self, distance: usize) -> Option<&LexerToken<'text>> {
        self.window.get((self.first + distance) % LOOKAHEAD).and_then(Option::as_ref)
    }

    /// The kind of the token `distance` tokens ahead, at most two. After the final token it is always `End`.
    pub(super) fn peek(&self, distance: usize) -> &TokenKind {
        debug_assert!(distance < LOOKAHEAD, "the ring buffer holds {LOOKAHEAD} tokens");
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

    /// Whether the token `distance` tokens ahead is a name.
    pub(super) fn is_name(&self, distance: usize) -> bool {
        match self.peek(distance) {
            TokenKind::Identifier => true,
            TokenKind::Keyword(word) => word.is_also_identifier(),
            _ => false,
        }
    }

    /// The text of the current token.
    pub(super) fn text(&self) -> &'text str {
        self.token(0).map_or("", |token| token.text)
    }

    /// The location of the current token.
    pub(super) fn span(&self) -> Span {
        self.location().into()
    }

    /// The location of the last token consumed.
    pub(super) fn last_span(&self) -> Span {
        self.last_span
    }

    fn location(&self) -> TextLocation {
        self.token(0).map(|token| token.location).unwrap_or_default()
    }

    /// Consumes the current token and returns its location. The final token is never consumed.
    pub(super) fn advance(&mut self) -> Span {
        let span = self.span();
        if self.token(0).is_some_and(|token| !token.is_final()) {
            let passed = self.first;
            self.first = (passed + 1) % LOOKAHEAD;
            // The slot that has become free is the last one of the ring now.
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

    pub(super) fn expect_name(&mut self) -> Parsed<Identifier> {
        if !self.is_name(0) {
            return Err(self.mismatch());
        }
        let text = self.text().to_owned();
        Ok(Identifier { text, span: self.advance() })
    }

    pub(super) fn expect_end(&self) -> Parsed<()> {
        if *self.kind() == TokenKind::End { Ok(()) } else { Err(self.mismatch()) }
    }

    /// The error for a current token that is not allowed here.
    pub(super) fn mismatch(&self) -> Box<QueryError> {
        let (location, token) = (self.location(), self.text());
        Box::new(match self.kind() {
            TokenKind::End => text::unexpected_end(location),
            TokenKind::Invalid => text::invalid_token(location, token),
            TokenKind::InvalidString => text::invalid_string(location, token),
            _ => text::syntax(location, token),
        })
    }

    /// Runs a parsing function one nesting level deeper.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting == NESTING_LEVELS_MAX {
            return Err(Box::new(text::too_deep(NESTING_LEVELS_MAX)));
        }
        self.nesting += 1;
        let result = read(self);
        // Also after an error, although the parser stops then.
        self.nesting -= 1;
        result
    }

    /// Rejects a query with too many JOINs.
    pub(super) fn check_joins(&self, query: &QueryTree) -> Parsed<()> {
        if self.joins > JOINS_MAX {
            return Err(Box::new(text::too_many_joins(query.span.0, JOINS_MAX)));
        }
        Ok(())
    }
}
