//! What can go wrong while rows are made.
//!
//! Owns the closed list of such errors with their texts. Does not own what is refused before: see `QueryError`. A wrong
//! type is no error, it makes the value undefined.

use std::fmt;

use model::ParseError;

use crate::error::QueryError;
use crate::value::NotRepresentable;

/// Why a query stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationError {
    /// A scalar subquery gave a second row.
    ScalarSubqueryRows,
    /// A user-defined function of this name does not exist. The words follow those for built-in functions: no
    /// recording shows the service's.
    UnknownUserFunction(String),
    /// A number of the answer is NaN or infinite.
    NotRepresentable,
    /// The rows held for ordering, grouping or DISTINCT are more than the context allows. The words are ours.
    HeldBytes {
        /// The bound, in bytes.
        bytes_max: usize,
    },
    /// A stored item is not the text of a JSON value: the storage is damaged. The words are ours.
    ItemText(ParseError),
    /// A score that needs all items of the container at once; the plan must have rewritten it.
    PlannedFunction(&'static str),
}

impl EvaluationError {
    /// The error as the service answers it: the code 4001 for numbers, a bare sentence for the others.
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
            Self::NotRepresentable => NotRepresentable.fmt(formatter),
            Self::HeldBytes { bytes_max } => write!(
                formatter,
                "The query holds more than {bytes_max} bytes of rows. Add filters, or select fewer \
                 properties."
            ),
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

impl std::error::Error for EvaluationError {}

impl From<ParseError> for EvaluationError {
    fn from(error: ParseError) -> Self {
        Self::ItemText(error)
    }
}

impl From<NotRepresentable> for EvaluationError {
    fn from(_: NotRepresentable) -> Self {
        Self::NotRepresentable
    }
}
