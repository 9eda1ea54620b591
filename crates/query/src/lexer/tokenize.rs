//! The walk over the text.
//!
//! Owns white space, comments, the order in which token forms are tried, and the counting of offsets.

use super::string::StringForm;
use super::{Keyword, Symbol, Token, TokenKind, number, string};
use crate::error::Location;

/// Tokens that room is made for beforehand, at most.
const TOKENS_AT_ONCE: usize = 1_024;

/// All tokens of a text. The last one is the end of the text or the first invalid token.
pub(crate) fn tokenize(text: &str) -> Vec<Token<'_>> {
    let mut tokenizer = Tokenizer { text, byte: 0, unit: 0 };
    // A token has three characters or more; a long text grows as it goes.
    let mut tokens = Vec::with_capacity((text.len() / 3 + 2).min(TOKENS_AT_ONCE));
    loop {
        let token = tokenizer.next_token();
        let is_last =
            matches!(token.kind, TokenKind::End | TokenKind::Invalid | TokenKind::InvalidString);
        tokens.push(token);
        if is_last {
            return tokens;
        }
    }
}

struct Tokenizer<'text> {
    text: &'text str,
    /// Where the walk is, in bytes.
    byte: usize,
    /// Where the walk is, in UTF-16 units.
    unit: usize,
}

impl<'text> Tokenizer<'text> {
    fn next_token(&mut self) -> Token<'text> {
        self.skip_blanks();
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return self.take(TokenKind::End, 0);
        };
        if let Some(length) = name_length(rest) {
            let word = rest.get(..length).and_then(Keyword::find);
            return self.take(word.map_or(TokenKind::Identifier, TokenKind::Keyword), length);
        }
        if first == '@'
            && let Some(length) = rest.get(1..).and_then(name_length)
        {
            return self.take(TokenKind::Parameter, 1 + length);
        }
        if let Some((number, length)) = number::at_start(rest) {
            return self.take(TokenKind::Number(number), length);
        }
        if matches!(first, '\'' | '"') {
            return match string::at_start(rest) {
                StringForm::Valid(value, length) => self.take(TokenKind::String(value), length),
                StringForm::Invalid(length) => self.take(TokenKind::InvalidString, length),
            };
        }
        match Symbol::at_start(rest) {
            Some((symbol, length)) => self.take(TokenKind::Symbol(symbol), length),
            None => self.take(TokenKind::Invalid, first.len_utf8()),
        }
    }

    /// White space and comments. A comment runs from two dashes to the end of its line.
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.advance(blanks);
            if !self.rest().starts_with("--") {
                return;
            }
            let comment = self.rest().find(['\r', '\n']).unwrap_or(self.rest().len());
            self.advance(comment);
        }
    }

    fn rest(&self) -> &'text str {
        self.text.get(self.byte..).unwrap_or_default()
    }

    fn take(&mut self, kind: TokenKind, length: usize) -> Token<'text> {
        let text = self.rest().get(..length).unwrap_or_default();
        let (byte_start, start) = (self.byte, self.unit);
        self.advance(length);
        Token { kind, text, byte_start, location: Location { start, end: self.unit } }
    }

    fn advance(&mut self, bytes: usize) {
        let passed = self.rest().get(..bytes).unwrap_or_default();
        self.byte += passed.len();
        self.unit += passed.chars().map(char::len_utf16).sum::<usize>();
    }
}

/// The length of the name a text starts with.
fn name_length(text: &str) -> Option<usize> {
    let first = text.bytes().next()?;
    if !first.is_ascii_alphabetic() && first != b'_' {
        return None;
    }
    Some(text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count())
}
