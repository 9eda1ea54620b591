//! Failures of the store as problems: one table.
//!
//! Owns what a caller of a service learns about its store. A caller is told what it can act on; what only the operator
//! can (a wrong credential, a broken answer) goes to the log.

use std::time::Duration;

use axum::http::StatusCode;
use client::{Error, ErrorKind};

use super::document::Problem;

/// When to try again if the store does not say.
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
            // The service has spent its throughput; that is not the fault of this caller, so it is no 429.
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
