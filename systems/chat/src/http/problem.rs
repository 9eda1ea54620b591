//! Errors of the system as problems: the one table of status codes.

use std::time::Duration;

use axum::http::StatusCode;
use service::http::Problem;

use crate::error::{Error, ErrorKind};

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let text = error.to_string();
        match (error.kind(), error.field()) {
            (ErrorKind::Invalid, Some(field)) => Self::invalid_field(field, "invalid", text),
            (ErrorKind::Invalid, None) => Self::bad_request("invalid_request", text),
            (ErrorKind::SignInRefused, _) => Self::unauthorized("sign_in_refused", text),
            (ErrorKind::Forbidden, _) => Self::forbidden("not_allowed", text),
            (ErrorKind::NotFound, _) => Self::not_found(text),
            (ErrorKind::Conflict, _) => Self::conflict("conflict", text),
            (ErrorKind::Limited, _) => {
                let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", text);
                problem.retry_after(Duration::from_secs(1))
            }
            (ErrorKind::Unavailable, _) => {
                let detail = "The data or Redis cannot be reached now. Try again.";
                let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail);
                problem.retry_after(Duration::from_secs(1)).caused_by(error)
            }
            (ErrorKind::Internal, _) => Self::internal(error),
        }
    }
}
