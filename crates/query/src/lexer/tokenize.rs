//! The tokenizer.
//!
//! Owns white space, comments, the order in which token forms are tried, and the counting of offsets.

use super::string::StringToken;
use super::{Keyword, LexerToken, Symbol, TokenKind, number, string};
use crate::error::TextLocation;

/// All tokens of a text. The last one is the end of the text or the first invalid token.
#[cfg(test)]
pub(crate) fn tokenize(text: &str) -> Vec<LexerToken<'_>> {
    let mut tokenizer = Tokenizer::new(text);
    let mut tokens = Vec::new();
    loop {
        tokens.push(tokenizer.next_token());
        if tokens.last().is_some_and(LexerToken::is_final) {
            return tokens;
        }
    }
}

/// Reads a text token by token. The parser asks for one token at a time, so no list of all tokens is ever built.
pub(crate) struct Tokenizer<'text> {
    text: &'text str,
    /// The current offset in bytes.
    byte: usize,
    /// The current offset in UTF-16 code units. Both offsets are kept, because converting one into the other would take
    /// a scan of the text for every token.
    unit: usize,
}

impl<'text> Tokenizer<'text> {
    pub(crate) fn new(text: &'text str) -> Self {
        Self { text, byte: 0, unit: 0 }
    }

    /// Reads the next token. After a final token (see `LexerToken::is_final`) it must not be called again.
    pub(crate) fn next_token(&mut self) -> LexerToken<'text> {
        self.skip_whitespace_and_comments();
        let rest = self.rest();
        let Some(first) = rest.as_bytes().first() else {
            return self.take_ascii(TokenKind::End, 0);
        };
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let length = name_length(rest).unwrap_or_default();
                let word = rest.get(..length).and_then(Keyword::find);
                let kind = word.map_or(TokenKind::Identifier, TokenKind::Keyword);
                return self.take_ascii(kind, length);
            }
            b'@' => {
                if let Some(length) = rest.get(1..).and_then(name_length) {
                    return self.take_ascii(TokenKind::Parameter, 1 + length);
                }
            }
            // `.5` is a number; a dot without a digit falls through to the symbols.
            b'0'..=b'9' | b'.' => {
                if let Some((number, length)) = number::read_number(rest) {
                    return self.take_ascii(TokenKind::Number(number), length);
                }
            }
            b'\'' | b'"' => {
                return match string::read_string(rest) {
                    StringToken::Valid(value, length) => {
                        self.take(TokenKind::String(value), length)
                    }
                    StringToken::Invalid(length) => self.take(TokenKind::InvalidString, length),
                };
            }
            _ => {}
        }
        match Symbol::read(rest) {
            Some((symbol, length)) => self.take_ascii(TokenKind::Symbol(symbol), length),
            None => {
                // The whole character, so that the text of the token is valid UTF-8.
                let length = rest.chars().next().map_or(0, char::len_utf8);
                self.take(TokenKind::Invalid, length)
            }
        }
    }

    /// Skips white space and comments. A comment runs from two dashes to the end of its line.
    fn skip_whitespace_and_comments(&mut self) {
        loop {
            let rest = self.rest().bytes();
            // Only these four: any other space is an invalid token.
            let blanks = rest.take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
            let blanks = blanks.count();
            self.byte += blanks;
            self.unit += blanks;
            if !self.rest().starts_with("--") {
                return;
            }
            // A comment may contain any character, so its length in UTF-16 code units must be counted.
            let comment = self.rest().find(['\r', '\n']).unwrap_or(self.rest().len());
            self.advance(comment);
        }
    }

    fn rest(&self) -> &'text str {
        self.text.get(self.byte..).unwrap_or_default()
    }

    fn take(&mut self, kind: TokenKind, length: usize) -> LexerToken<'text> {
        let text = self.rest().get(..length).unwrap_or_default();
        let start = self.unit;
        self.advance(length);
        LexerToken { kind, text, location: TextLocation { start, end: self.unit } }
    }

    /// Like `take`, for a token of ASCII characters: bytes and UTF-16 code units are the same number.
    fn take_ascii(&mut self, kind: TokenKind, length: usize) -> LexerToken<'text> {
        let text = self.rest().get(..length).unwrap_or_default();
        let start = self.unit;
        self.byte += length;
        self.unit += length;
        LexerToken { kind, text, location: TextLocation { start, end: self.unit } }
    }

    fn advance(&mut self, bytes: usize) {
        let passed = self.rest().get(..bytes).unwrap_or_default();
        self.byte += passed.len();
        self.unit += passed.chars().map(char::len_utf16).sum::<usize>();
    }
}

/// The length in bytes of the name that a text starts with.
fn name_length(text: &str) -> Option<usize> {
    let first = text.bytes().next()?;
    if !first.is_ascii_alphabetic() && first != b'_' {
        return None;
    }
    Some(text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count())
}
