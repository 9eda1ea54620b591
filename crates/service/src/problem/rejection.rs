//! Rejections of extractors as problems.
//!
//! Owns the codes for bodies, query strings and paths that cannot be deserialized.

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::http::StatusCode;

use super::document::Problem;

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        match (&rejection, rejection.status()) {
            (_, StatusCode::PAYLOAD_TOO_LARGE) => body_too_large(),
            (JsonRejection::MissingJsonContentType(_), _) => Self::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                "The body must be JSON and say so: content-type: application/json.",
            ),
            (JsonRejection::JsonDataError(_), _) => invalid_body(&rejection.body_text()),
            _ => Self::bad_request("invalid_body", rejection.body_text()),
        }
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Self {
        Self::bad_request("invalid_query", rejection.body_text())
    }
}

impl From<PathRejection> for Problem {
    fn from(rejection: PathRejection) -> Self {
        if rejection.status().is_server_error() {
            return Self::internal(rejection.body_text());
        }
        Self::bad_request("invalid_path", rejection.body_text())
    }
}

/// 413, for a declared and for a counted length.
fn body_too_large() -> Problem {
    let detail = "The body is larger than this service takes.";
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", detail)
}

/// JSON that does not match the type. The text of the deserializer starts with the path of the property, if it is
/// nested.
fn invalid_body(text: &str) -> Problem {
    let message = text.split_once("target type: ").map_or(text, |(_, message)| message);
    let problem =
        Problem::bad_request("invalid_body", format!("The body does not fit: {message}."));
    let is_path = |path: &str| {
        path.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '-'))
    };
    match message.split_once(": ") {
        Some((path, message)) if is_path(path) => problem.field(path, "invalid", message),
        _ => problem,
    }
}
