//! One error of a query.
//!
//! Owns the value that every stage reports. Does not own its wire form: see `json`.

use std::fmt;

use super::QueryErrorCode;

/// Where in the query text: UTF-16 code units, start inclusive, end exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// The first unit.
    pub start: usize,
    /// The unit after the last.
    pub end: usize,
}

impl Location {
    /// From the start of this one to the end of another.
    #[must_use]
    pub fn to(self, last: Self) -> Self {
        Self { start: self.start, end: last.end }
    }
}

/// How bad it is. The service knows only one grade for what refuses a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The query is refused.
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

/// One reason why a query is refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QueryError {
    /// How bad it is.
    pub severity: Severity,
    /// Which rule is broken.
    pub code: QueryErrorCode,
    /// The sentence for a human.
    pub message: String,
    /// The offending part of the text, where the service names one.
    pub location: Option<Location>,
}

impl QueryError {
    /// An error of the compiler at a place of the text.
    pub(crate) fn at(code: u16, location: Location, message: impl Into<String>) -> Self {
        Self::new(QueryErrorCode::Compiler(code), Some(location), message.into())
    }

    /// An error whose code is a bare number.
    pub(crate) fn numbered(code: u16, message: impl Into<String>) -> Self {
        Self::new(QueryErrorCode::Number(code), None, message.into())
    }

    /// A refusal without code or place.
    pub(crate) fn refusal(message: impl Into<String>) -> Self {
        Self::new(QueryErrorCode::Refusal, None, message.into())
    }

    fn new(code: QueryErrorCode, location: Option<Location>, message: String) -> Self {
        Self { severity: Severity::Error, code, message, location }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.code)?;
        if let Some(Location { start, end }) = self.location {
            write!(formatter, " {start}..{end}")?;
        }
        write!(formatter, ": {}", self.message)
    }
}

impl std::error::Error for QueryError {}
