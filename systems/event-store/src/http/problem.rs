//! Errors of the event store as problems: the one table of status codes.

use std::time::Duration;

use axum::http::StatusCode;
use service::http::Problem;

use crate::error::{Error, ErrorKind};
use crate::service_id::ServiceIdError;

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let text = error.to_string();
        match error.kind() {
            ErrorKind::Invalid => Self::bad_request("invalid_request", text),
            ErrorKind::InvalidTag => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_tag", text)
            }
            ErrorKind::ServiceId => match error.service_id_error() {
                Some(ServiceIdError::NoRequest) => Self::unauthorized("unauthenticated", text),
                Some(reason) => Self::forbidden(reason.code(), text),
                None => Self::internal(error),
            },
            ErrorKind::NotFound => Self::not_found(text),
            ErrorKind::Conflict => {
                let conflicts = serde_json::json!(error.conflicts());
                Self::conflict("conflict", text).member("conflicts", conflicts)
            }
            ErrorKind::AlreadyExists => Self::conflict("already_exists", text),
            ErrorKind::TooLarge => Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", text),
            ErrorKind::Timeout => Self::new(StatusCode::REQUEST_TIMEOUT, "timeout", text),
            ErrorKind::Unsupported => Self::new(StatusCode::NOT_IMPLEMENTED, "unsupported", text),
            ErrorKind::Unavailable => {
                let detail = "The store cannot answer now. Try again.";
                let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail);
                problem.retry_after(Duration::from_secs(1)).caused_by(error)
            }
            ErrorKind::Corrupt | ErrorKind::Internal => Self::internal(error),
        }
    }
}
