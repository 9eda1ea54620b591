//! Text to tokens.
//!
//! Owns the form of identifiers, numbers, strings, parameters, symbols, comments and reserved words, and the location
//! of each token. Does not own grammar: an invalid token is passed on, and the parser reports it when it gets there. So
//! an earlier syntax error is reported first, as the service does.

mod keyword;
mod name;
mod number;
mod string;
mod symbol;
mod token;
mod tokenize;

#[cfg(test)]
mod tests;

pub(crate) use keyword::Keyword;
pub(crate) use name::{is_bare_name, is_identifier};
pub(crate) use symbol::Symbol;
pub(crate) use token::{LexerToken, NumberForm, NumberToken, TokenKind};
pub(crate) use tokenize::Tokenizer;
#[cfg(test)]
pub(crate) use tokenize::tokenize;
