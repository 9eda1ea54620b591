//! One error of a query.
//!
//! Owns the type that every stage reports. Does not own its wire form: see `json`.

use std::fmt;

use super::QueryErrorCode;

/// A range of the query text in UTF-16 code units: start inclusive, end exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TextLocation {
    /// The first unit.
    pub start: usize,
    /// The unit after the last.
    pub end: usize,
}

impl TextLocation {
    /// The range from the start of this one to the end of another.
    #[must_use]
    pub fn to(self, last: Self) -> Self {
        Self { start: self.start, end: last.end }
    }
}

/// The severity of an error. The service has only one for a rejected query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The query is rejected.
    Error,
}

impl Severity {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "Error",
        }
    }
}

/// One reason why a query is rejected.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QueryError {
    /// Its severity.
    pub severity: Severity,
    /// The rule that is broken.
    pub code: QueryErrorCode,
    /// The message for people.
    pub message: String,
    /// The offending part of the text, if the service reports one.
    pub location: Option<TextLocation>,
}

impl QueryError {
    /// An error with a compiler code and a location.
    pub(crate) fn compiler(code: u16, location: TextLocation, message: impl Into<String>) -> Self {
        Self::new(QueryErrorCode::Compiler(code), Some(location), message.into())
    }

    /// An error whose code is a plain number.
    pub(crate) fn numbered(code: u16, message: impl Into<String>) -> Self {
        Self::new(QueryErrorCode::Number(code), None, message.into())
    }

    /// An error without code and location.
    pub(crate) fn refusal(message: impl Into<String>) -> Self {
        Self::new(QueryErrorCode::Refusal, None, message.into())
    }

    fn new(code: QueryErrorCode, location: Option<TextLocation>, message: String) -> Self {
        Self { severity: Severity::Error, code, message, location }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.code)?;
        if let Some(TextLocation { start, end }) = self.location {
            write!(formatter, " {start}..{end}")?;
        }
        write!(formatter, ": {}", self.message)
    }
}

impl std::error::Error for QueryError {}
