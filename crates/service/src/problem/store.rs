//! Errors of the database as problems: one table.
//!
//! Owns what a caller of a service learns about its database: what the caller can act on. What only the operator can
//! fix (a wrong credential, a broken response) goes to the log.

use std::time::Duration;

use axum::http::StatusCode;
use client::{Error, ErrorKind};

use super::document::Problem;

/// The `Retry-After` if the database does not give one.
const RETRY_SECONDS: u64 = 1;

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let delay = Duration::from_secs(RETRY_SECONDS);
        let busy = |code, detail: &str| {
            Self::new(StatusCode::SERVICE_UNAVAILABLE, code, detail)
                .retry_after(delay)
                .caused_by(&error)
        };
        match error.kind() {
            ErrorKind::NotFound => {
                Self::not_found("What was asked for does not exist.").caused_by(&error)
            }
            ErrorKind::Conflict => {
                Self::conflict("conflict", "Something with this id or unique key exists already.")
                    .caused_by(&error)
            }
            ErrorKind::Precondition => Self::new(
                StatusCode::PRECONDITION_FAILED,
                "precondition_failed",
                "It was changed meanwhile. Read it again and decide again.",
            )
            .caused_by(&error),
            // 503 and not 429: the service has used up its throughput, which is not the fault of this caller.
            ErrorKind::Throttled { delay } => {
                let problem = busy("store_busy", "The store is busy. Try again later.");
                delay.map_or(problem.clone(), |delay| problem.retry_after(delay))
            }
            ErrorKind::TooLarge => Self::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "too_large",
                "This is larger than the store takes.",
            )
            .caused_by(&error),
            ErrorKind::BadRequest => Self::bad_request("bad_request", error.to_string()),
            ErrorKind::Unavailable if error.may_have_happened() => busy(
                "outcome_unknown",
                "The store did not answer; the change may have been made. Read before trying again.",
            ),
            ErrorKind::Unavailable | ErrorKind::Unauthorized => {
                busy("store_unavailable", "The store cannot answer now. Try again later.")
            }
            ErrorKind::Unsupported => {
                let detail = "The store of this service does not offer this.";
                Self::new(StatusCode::NOT_IMPLEMENTED, "unsupported", detail).caused_by(&error)
            }
            ErrorKind::Unexpected => Self::internal(&error),
        }
    }
}
