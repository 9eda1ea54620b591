//! Why a query has no rows: its text is wrong, its values cannot be printed, its token is not ours, its time is
//! spent.
//!
//! Owns the way of such errors into the engine's error. Does not own their words: most are the language's.

use ::query::{EvaluationError, QueryError};

use crate::error::{Error, ErrorKind};

/// A query that is refused, with every reason.
pub(super) fn bad_query(errors: Vec<QueryError>) -> Error {
    Error::of_query(errors)
}

/// A query that failed while rows were made.
pub(super) fn failed(error: &EvaluationError) -> Error {
    match error {
        EvaluationError::ItemText(error) => {
            Error::corrupt(format!("a stored item is not JSON: {error}"))
        }
        error => Error::of_query(vec![error.to_query_error()]),
    }
}

/// A token that does not continue this query.
pub(super) fn token_refused(reason: &str) -> Error {
    Error::new(
        ErrorKind::ContinuationRefused,
        format!("Invalid Continuation Token: {reason}. Start the query again without a token."),
    )
}

/// A query that cannot end early and took too long.
pub(super) fn out_of_time(milliseconds: u128) -> Error {
    Error::new(
        ErrorKind::OutOfTime,
        format!(
            "The query took longer than {milliseconds} ms and has no rows to begin with: it groups, sorts or compares \
             all of them. Add filters, or allow more time."
        ),
    )
}
