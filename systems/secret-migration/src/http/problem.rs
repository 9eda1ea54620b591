//! Errors of the system as problems: the one table of status codes.

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
            (Self::NotFound, _) => Problem::not_found(text),
            (Self::Conflict, _) => Problem::conflict("illegal_move", text),
            (Self::ApprovalMissing, _) => Problem::conflict("approval_missing", text),
            (Self::Changed, _) => {
                Problem::new(StatusCode::PRECONDITION_FAILED, "precondition_failed", text)
            }
            (Self::MappingMissing, _) => {
                Problem::new(StatusCode::FAILED_DEPENDENCY, "mapping_missing", text)
            }
            (Self::BadAnswer, _) => Problem::new(StatusCode::BAD_GATEWAY, "bad_answer", text),
            (Self::Unavailable, _) => {
                let detail = "The data or a platform cannot be reached now. Try again.";
                let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail);
                problem.retry_after(std::time::Duration::from_secs(1)).caused_by(error)
            }
            (Self::Internal, _) => Problem::internal(error),
        }
    }
}
