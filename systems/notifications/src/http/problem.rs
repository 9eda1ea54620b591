//! Errors of the system as problems: the one table of status codes.

use axum::http::StatusCode;
use service::error::ProblemKind;
use service::http::Problem;

use crate::error::{Error, ErrorKind, InvalidField};

impl ProblemKind for ErrorKind {
    fn problem(error: Error) -> Problem {
        match error.kind() {
            Self::Invalid if error.invalid_fields().is_empty() => {
                Problem::bad_request("invalid_request", error.to_string())
            }
            Self::Invalid => {
                let problem = Problem::bad_request("invalid_fields", error.message().to_owned());
                with_fields(problem, error.invalid_fields())
            }
            Self::NotFound => Problem::not_found(error.to_string()),
            Self::Conflict => Problem::conflict("conflict", error.to_string()),
            Self::Unavailable => {
                let detail = "The data cannot be reached now. Try again.";
                let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail);
                problem.retry_after(std::time::Duration::from_secs(1)).caused_by(error)
            }
            Self::Internal => Problem::internal(error),
        }
    }
}

/// The problem with every field that is wrong.
pub(super) fn with_fields(problem: Problem, errors: &[InvalidField]) -> Problem {
    errors.iter().fold(problem, |problem, error| {
        problem.field(&error.field, "invalid", error.message.clone())
    })
}
