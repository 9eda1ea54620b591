//! Errors of the system as problems: the one table of status codes.

use axum::http::StatusCode;
use service::http::Problem;

use crate::error::{Error, ErrorKind};

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let text = error.to_string();
        match (error.kind(), error.field()) {
            (ErrorKind::Invalid, Some(field)) => Self::invalid_field(field, "invalid", text),
            (ErrorKind::Invalid, None) => Self::bad_request("invalid_request", text),
            (ErrorKind::NotFound, _) => Self::not_found(text),
            (ErrorKind::Conflict, _) => Self::conflict("illegal_move", text),
            (ErrorKind::ApprovalMissing, _) => Self::conflict("approval_missing", text),
            (ErrorKind::Changed, _) => {
                Self::new(StatusCode::PRECONDITION_FAILED, "precondition_failed", text)
            }
            (ErrorKind::MappingMissing, _) => {
                Self::new(StatusCode::FAILED_DEPENDENCY, "mapping_missing", text)
            }
            (ErrorKind::BadAnswer, _) => Self::new(StatusCode::BAD_GATEWAY, "bad_answer", text),
            (ErrorKind::Unavailable, _) => {
                let detail = "The data or a platform cannot be reached now. Try again.";
                let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail);
                problem.retry_after(std::time::Duration::from_secs(1)).caused_by(error)
            }
            (ErrorKind::Internal, _) => Self::internal(error),
        }
    }
}
