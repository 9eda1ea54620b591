//! Errors of the system as problems: the one table of status codes.

use std::time::Duration;

use axum::http::StatusCode;
use service::error::ProblemKind;
use service::http::Problem;

use crate::error::{Error, ErrorKind};

impl ProblemKind for ErrorKind {
    fn problem(error: Error) -> Problem {
        let text = error.to_string();
        match (error.kind(), error.field()) {
            (Self::Invalid, Some(field)) => Problem::invalid_field(field, "invalid", text),
            (Self::Invalid, None) => Problem::bad_request("invalid_request", text),
            (Self::SignInRefused, _) => Problem::unauthorized("sign_in_refused", text),
            (Self::Forbidden, _) => Problem::forbidden("not_allowed", text),
            (Self::NotFound, _) => Problem::not_found(text),
            (Self::Conflict, _) => Problem::conflict("conflict", text),
            (Self::Limited, _) => {
                let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", text);
                problem.retry_after(Duration::from_secs(1))
            }
            (Self::Unavailable, _) => {
                let detail = "The data or Redis cannot be reached now. Try again.";
                let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail);
                problem.retry_after(Duration::from_secs(1)).caused_by(error)
            }
            (Self::Internal, _) => Problem::internal(error),
        }
    }
}
