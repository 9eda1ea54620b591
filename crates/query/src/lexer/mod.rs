//! Text to tokens.
//!
//! Owns the shape of identifiers, numbers, strings, parameters, symbols, comments and reserved words, with the place
//! of each token. Does not own grammar: an invalid token is handed on, and the parser reports it when it gets there,
//! so that an earlier mistake is reported first, as the service does.

mod keyword;
mod number;
mod string;
mod symbol;
mod token;
mod tokenize;

#[cfg(test)]
mod tests;

pub(crate) use keyword::Keyword;
pub(crate) use symbol::Symbol;
pub(crate) use token::{NumberForm, NumberToken, Token, TokenKind};
pub(crate) use tokenize::tokenize;

/// Whether a text has the form of an identifier: ASCII letters, digits and underscores, no leading digit.
pub(crate) fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a text can be written bare where a name is wanted.
pub(crate) fn is_bare_name(text: &str) -> bool {
    is_identifier(text) && Keyword::find(text).is_none_or(Keyword::is_also_identifier)
}
