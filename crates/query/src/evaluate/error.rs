//! Errors of evaluation.
//!
//! Owns the closed list of these errors and their messages. Does not own errors found before a query runs: see
//! `QueryError`. A wrong type is not an error, it makes the value undefined.

use std::fmt;

use model::ParseError;

use crate::budget::{BudgetError, Interruption};
use crate::error::QueryError;
use crate::value::NotRepresentable;

/// Why a query stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationError {
    /// A scalar subquery returned more than one row.
    ScalarSubqueryRows,
    /// There is no user-defined function of this name. The wording follows that for built-in functions; the service's
    /// own was never recorded.
    UnknownUserFunction(String),
    /// A user-defined function threw, or exceeded its limits.
    UserFunctionFailed {
        /// The function.
        name: String,
        /// What it threw, with the place in its text.
        message: String,
    },
    /// A number in the result is NaN or infinite.
    NotRepresentable,
    /// The budget of the request refuses. The wording is ours.
    Budget(BudgetError),
    /// A stored item is not valid JSON, so the storage is damaged. The wording is ours.
    ItemText(ParseError),
    /// A score that needs all items of the container was not rewritten by the plan.
    PlannedFunction(&'static str),
}

impl EvaluationError {
    /// The error as the service reports it: code 4001 for numbers, a message without a code for the others.
    #[must_use]
    pub fn to_query_error(&self) -> QueryError {
        match self {
            Self::NotRepresentable => QueryError::numbered(4001, self.to_string()),
            _ => QueryError::refusal(self.to_string()),
        }
    }
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ScalarSubqueryRows => formatter.write_str(
                "The cardinality of a scalar subquery result set cannot be greater than one.",
            ),
            Self::UnknownUserFunction(name) => {
                write!(formatter, "'{name}' is not a recognized user-defined function name.")
            }
            Self::UserFunctionFailed { name, message } => {
                write!(formatter, "The user-defined function '{name}' failed: {message}")
            }
            Self::NotRepresentable => NotRepresentable.fmt(formatter),
            Self::Budget(error) => write_refusal(*error, formatter),
            Self::ItemText(error) => write!(formatter, "A stored item is not JSON text: {error}."),
            Self::PlannedFunction(name) => {
                write!(
                    formatter,
                    "The {name} function can only be computed over a whole container."
                )
            }
        }
    }
}

/// The text of a refusal, for the caller of a query.
fn write_refusal(error: BudgetError, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    match error {
        BudgetError::HeldBytes { bytes_max } => write!(
            formatter,
            "The query holds more than {bytes_max} bytes of rows. Add filters, or select fewer \
             properties."
        ),
        BudgetError::Interrupted(interruption) => formatter.write_str(match interruption {
            Interruption::SliceEnded => "The query must go on elsewhere.",
            Interruption::OutOfTime => "The query exceeded its time. Add filters.",
            Interruption::OutOfWork => {
                "The query exceeded its work: it joins, compares or builds too much. Add \
                 filters, or join fewer arrays."
            }
            Interruption::Cancelled => "The query was cancelled.",
            Interruption::MemoryInUse => {
                "Other queries use the memory that all queries share. Try again later."
            }
        }),
        BudgetError::PatternTooLarge { bytes_max } => write!(
            formatter,
            "A regular expression is longer than {bytes_max} bytes or compiles to too much \
             code. Shorten it, or repeat less."
        ),
        BudgetError::MatchTooLarge { text_bytes } => write!(
            formatter,
            "A regular expression is too complex for a text of {text_bytes} bytes. Simplify \
             it, or match a part of the text."
        ),
        BudgetError::RowTooLarge { bytes_max } => write!(
            formatter,
            "A row of the result has more than {bytes_max} bytes. Select fewer properties or \
             elements at once."
        ),
    }
}

impl std::error::Error for EvaluationError {}

impl From<ParseError> for EvaluationError {
    fn from(error: ParseError) -> Self {
        Self::ItemText(error)
    }
}

impl From<BudgetError> for EvaluationError {
    fn from(error: BudgetError) -> Self {
        Self::Budget(error)
    }
}

impl From<NotRepresentable> for EvaluationError {
    fn from(_: NotRepresentable) -> Self {
        Self::NotRepresentable
    }
}
