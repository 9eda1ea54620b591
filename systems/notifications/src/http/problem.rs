//! Errors of the system as problems: the one table of status codes.

use axum::http::StatusCode;
use service::http::Problem;

use crate::error::{Error, ErrorKind, InvalidField};

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::Invalid if error.invalid_fields().is_empty() => {
                Self::bad_request("invalid_request", error.to_string())
            }
            ErrorKind::Invalid => {
                let problem = Self::bad_request("invalid_fields", error.message().to_owned());
                with_fields(problem, error.invalid_fields())
            }
            ErrorKind::NotFound => Self::not_found(error.to_string()),
            ErrorKind::Conflict => Self::conflict("conflict", error.to_string()),
            ErrorKind::Unavailable => {
                let detail = "The data cannot be reached now. Try again.";
                let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail);
                problem.retry_after(std::time::Duration::from_secs(1)).caused_by(error)
            }
            ErrorKind::Internal => Self::internal(error),
        }
    }
}

/// The problem with every field that is wrong.
pub(super) fn with_fields(problem: Problem, errors: &[InvalidField]) -> Problem {
    errors.iter().fold(problem, |problem, error| {
        problem.field(&error.field, "invalid", error.message.clone())
    })
}
