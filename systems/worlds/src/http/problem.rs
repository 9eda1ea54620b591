//! Errors of the system as problems: the one table of status codes.

use axum::http::StatusCode;
use service::http::Problem;

use crate::error::{Error, ErrorKind};

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let text = || error.message().to_owned();
        match error.kind() {
            ErrorKind::Invalid => {
                let problem = Self::bad_request("VALIDATION_ERROR", text());
                error.mistakes().iter().fold(problem, |problem, one| {
                    problem.field(&one.field, "invalid", one.message.clone())
                })
            }
            ErrorKind::InvalidParent => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "INVALID_PARENT", text())
            }
            ErrorKind::NotFound => Self::not_found(text()),
            ErrorKind::EntityLimit => Self::conflict("WORLD_ENTITY_LIMIT", text()),
            ErrorKind::HasChildren => Self::conflict("ENTITY_HAS_CHILDREN", text()),
            ErrorKind::Cycle => Self::conflict("PARENT_CYCLE", text()),
            ErrorKind::ParentDeleted => {
                let choices = serde_json::json!(["restore", "world"]);
                Self::conflict("PARENT_DELETED", text()).member("choices", choices)
            }
            ErrorKind::Conflict => Self::conflict("CONFLICT", text()),
            ErrorKind::Changed => {
                Self::new(StatusCode::PRECONDITION_FAILED, "precondition_failed", text())
            }
            ErrorKind::Busy => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, "TOO_MANY_OPERATIONS", text())
                    .retry_after(std::time::Duration::from_secs(5))
            }
            ErrorKind::Unavailable => {
                let detail = "The data cannot be reached now. Try again.";
                let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail);
                problem.retry_after(std::time::Duration::from_secs(1)).caused_by(error)
            }
            ErrorKind::Internal => Self::internal(error),
        }
    }
}
