//! Error codes as the service prints them.
//!
//! Owns the three forms of a code on the wire. Does not own the messages: see `text`.

use std::fmt;

/// The code of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueryErrorCode {
    /// A code of the query compiler, printed as a string: `"SC2005"`.
    Compiler(u16),
    /// A code without prefix, printed as a number and never with a location: `2206`.
    Number(u16),
    /// No code at all: the service answers with the bare text.
    Refusal,
}

impl fmt::Display for QueryErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compiler(number) => write!(formatter, "SC{number:04}"),
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Refusal => formatter.write_str("refused"),
        }
    }
}
