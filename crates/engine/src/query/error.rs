//! Errors of queries: invalid text, failed evaluation, invalid continuation token, time limit.
//!
//! Most messages come from the crate `query`.

use ::query::{BudgetError, EvaluationError, Interruption, QueryError};

use crate::error::{Error, ErrorKind};

/// How long to wait before a query that found no memory is tried again, in milliseconds.
const MEMORY_RETRY_MS: u64 = 200;

/// A query that is rejected, with all reasons.
pub(super) fn bad_query(errors: Vec<QueryError>) -> Error {
    Error::of_query(errors)
}

/// A query that failed while rows were computed.
pub(crate) fn evaluation_failed(error: &EvaluationError) -> Error {
    match error {
        // Items are parsed before they are stored, so this is damage and not a fault of the query.
        EvaluationError::ItemText(error) => {
            Error::corrupt(format!("a stored item is not JSON: {error}"))
        }
        EvaluationError::Budget(BudgetError::Interrupted(interruption)) => {
            interrupted(*interruption)
        }
        error => Error::of_query(vec![error.to_query_error()]),
    }
}

/// A query that may consume no more and has no rows to return.
pub(crate) fn interrupted(interruption: Interruption) -> Error {
    match interruption {
        Interruption::MemoryInUse => Error::new(
            ErrorKind::Throttled { retry_after_ms: MEMORY_RETRY_MS },
            "Other queries use the memory that all queries share. Retry after the delay, or select less.",
        ),
        interruption => Error::new(
            ErrorKind::OutOfTime,
            format!(
                "Request timed out. {}",
                EvaluationError::Budget(BudgetError::Interrupted(interruption))
            ),
        ),
    }
}

/// A continuation token that does not belong to this query.
pub(super) fn invalid_token(reason: &str) -> Error {
    Error::new(
        ErrorKind::ContinuationRefused,
        format!("Invalid Continuation Token: {reason}. Start the query again without a token."),
    )
}

/// A query that exceeded the time limit and has no partial result to return.
pub(super) fn time_limit_exceeded(milliseconds: u128) -> Error {
    Error::new(
        ErrorKind::OutOfTime,
        format!(
            "The query took longer than {milliseconds} ms and has no rows to begin with: it groups, sorts or compares \
             all of them. Add filters, or allow more time."
        ),
    )
}
