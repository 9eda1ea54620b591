//! One token.
//!
//! Owns what the parser sees of a token: its kind, its text and its location in UTF-16 code units.

use super::{Keyword, Symbol};
use crate::ast::Literal;
use crate::error::TextLocation;

/// A token of the query text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LexerToken<'text> {
    /// What it is.
    pub(crate) kind: TokenKind,
    /// As written; empty at the end of the text.
    pub(crate) text: &'text str,
    /// Its range in the query text, in UTF-16 code units: the unit of the service's error messages.
    pub(crate) location: TextLocation,
}

impl LexerToken<'_> {
    /// Whether no token follows it.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self.kind, TokenKind::End | TokenKind::Invalid | TokenKind::InvalidString)
    }
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// A name.
    Identifier,
    /// A reserved word.
    Keyword(Keyword),
    /// `@` and a name.
    Parameter,
    /// A number without sign.
    Number(NumberToken),
    /// A string, escapes resolved.
    String(String),
    /// Punctuation.
    Symbol(Symbol),
    /// The end of the text.
    End,
    /// A character that starts no token. Nothing follows it.
    Invalid,
    /// A malformed string. Nothing follows it.
    InvalidString,
}

/// A number as read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NumberToken {
    /// Its value.
    pub(crate) value: Literal,
    /// How it was written.
    pub(crate) form: NumberForm,
}

/// How a number was written: some parts of the grammar accept only whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberForm {
    /// Digits only, decimal or hexadecimal.
    Integer,
    /// With a point or an exponent.
    Decimal,
}
